# Written by scripts/generate_proto.py: do not edit.
from collections.abc import Iterator
from typing import Protocol

import grpc

from . import memory_pb2 as pb2

class MemoryServiceStub:
    def __init__(self, channel: grpc.Channel) -> None: ...
    IngestEvent: grpc.UnaryUnaryMultiCallable[pb2.IngestEventRequest, pb2.IngestEventResponse]
    IngestEvents: grpc.StreamStreamMultiCallable[pb2.IngestEventsRequest, pb2.IngestEventsResponse]
    DrainSpool: grpc.UnaryUnaryMultiCallable[pb2.DrainSpoolRequest, pb2.DrainSpoolResponse]
    ForgetEvents: grpc.UnaryUnaryMultiCallable[pb2.ForgetEventsRequest, pb2.ForgetEventsResponse]
    GetEvents: grpc.UnaryUnaryMultiCallable[pb2.GetEventsRequest, pb2.GetEventsResponse]
    GetEvent: grpc.UnaryUnaryMultiCallable[pb2.GetEventRequest, pb2.GetEventResponse]
    ListSessions: grpc.UnaryUnaryMultiCallable[pb2.ListSessionsRequest, pb2.ListSessionsResponse]
    GetStatus: grpc.UnaryUnaryMultiCallable[pb2.GetStatusRequest, pb2.GetStatusResponse]
    SyncViews: grpc.UnaryUnaryMultiCallable[pb2.SyncViewsRequest, pb2.SyncViewsResponse]
    RebuildToc: grpc.UnaryUnaryMultiCallable[pb2.RebuildTocRequest, pb2.RebuildTocResponse]
    RebuildIndex: grpc.UnaryUnaryMultiCallable[pb2.RebuildIndexRequest, pb2.RebuildIndexResponse]
    GetTocRoot: grpc.UnaryUnaryMultiCallable[pb2.GetTocRootRequest, pb2.GetTocRootResponse]
    GetNode: grpc.UnaryUnaryMultiCallable[pb2.GetNodeRequest, pb2.GetNodeResponse]
    BrowseToc: grpc.UnaryUnaryMultiCallable[pb2.BrowseTocRequest, pb2.BrowseTocResponse]
    ExpandGrip: grpc.UnaryUnaryMultiCallable[pb2.ExpandGripRequest, pb2.ExpandGripResponse]
    TeleportSearch: grpc.UnaryUnaryMultiCallable[pb2.SearchRequest, pb2.SearchResponse]
    VectorTeleport: grpc.UnaryUnaryMultiCallable[pb2.SearchRequest, pb2.SearchResponse]
    HybridSearch: grpc.UnaryUnaryMultiCallable[pb2.SearchRequest, pb2.SearchResponse]
    GetRetrievalCapabilities: grpc.UnaryUnaryMultiCallable[pb2.GetRetrievalCapabilitiesRequest, pb2.GetRetrievalCapabilitiesResponse]
    GetIndexStatus: grpc.UnaryUnaryMultiCallable[pb2.GetIndexStatusRequest, pb2.GetIndexStatusResponse]
    EmbedNews: grpc.UnaryUnaryMultiCallable[pb2.EmbedNewsRequest, pb2.EmbedNewsResponse]
    RouteQuery: grpc.UnaryUnaryMultiCallable[pb2.SearchRequest, pb2.SearchResponse]
    GetSchedulerStatus: grpc.UnaryUnaryMultiCallable[pb2.GetSchedulerStatusRequest, pb2.GetSchedulerStatusResponse]
    PauseJob: grpc.UnaryUnaryMultiCallable[pb2.PauseJobRequest, pb2.PauseJobResponse]
    ResumeJob: grpc.UnaryUnaryMultiCallable[pb2.ResumeJobRequest, pb2.ResumeJobResponse]
    RunJob: grpc.UnaryUnaryMultiCallable[pb2.RunJobRequest, pb2.RunJobResponse]
    Stop: grpc.UnaryUnaryMultiCallable[pb2.StopRequest, pb2.StopResponse]

class MemoryServiceServicer(Protocol):
    def IngestEvent(
        self, request: pb2.IngestEventRequest, context: grpc.ServicerContext
    ) -> pb2.IngestEventResponse: ...
    def IngestEvents(
        self, request_iterator: Iterator[pb2.IngestEventsRequest], context: grpc.ServicerContext
    ) -> Iterator[pb2.IngestEventsResponse]: ...
    def DrainSpool(
        self, request: pb2.DrainSpoolRequest, context: grpc.ServicerContext
    ) -> pb2.DrainSpoolResponse: ...
    def ForgetEvents(
        self, request: pb2.ForgetEventsRequest, context: grpc.ServicerContext
    ) -> pb2.ForgetEventsResponse: ...
    def GetEvents(
        self, request: pb2.GetEventsRequest, context: grpc.ServicerContext
    ) -> pb2.GetEventsResponse: ...
    def GetEvent(
        self, request: pb2.GetEventRequest, context: grpc.ServicerContext
    ) -> pb2.GetEventResponse: ...
    def ListSessions(
        self, request: pb2.ListSessionsRequest, context: grpc.ServicerContext
    ) -> pb2.ListSessionsResponse: ...
    def GetStatus(
        self, request: pb2.GetStatusRequest, context: grpc.ServicerContext
    ) -> pb2.GetStatusResponse: ...
    def SyncViews(
        self, request: pb2.SyncViewsRequest, context: grpc.ServicerContext
    ) -> pb2.SyncViewsResponse: ...
    def RebuildToc(
        self, request: pb2.RebuildTocRequest, context: grpc.ServicerContext
    ) -> pb2.RebuildTocResponse: ...
    def RebuildIndex(
        self, request: pb2.RebuildIndexRequest, context: grpc.ServicerContext
    ) -> pb2.RebuildIndexResponse: ...
    def GetTocRoot(
        self, request: pb2.GetTocRootRequest, context: grpc.ServicerContext
    ) -> pb2.GetTocRootResponse: ...
    def GetNode(
        self, request: pb2.GetNodeRequest, context: grpc.ServicerContext
    ) -> pb2.GetNodeResponse: ...
    def BrowseToc(
        self, request: pb2.BrowseTocRequest, context: grpc.ServicerContext
    ) -> pb2.BrowseTocResponse: ...
    def ExpandGrip(
        self, request: pb2.ExpandGripRequest, context: grpc.ServicerContext
    ) -> pb2.ExpandGripResponse: ...
    def TeleportSearch(
        self, request: pb2.SearchRequest, context: grpc.ServicerContext
    ) -> pb2.SearchResponse: ...
    def VectorTeleport(
        self, request: pb2.SearchRequest, context: grpc.ServicerContext
    ) -> pb2.SearchResponse: ...
    def HybridSearch(
        self, request: pb2.SearchRequest, context: grpc.ServicerContext
    ) -> pb2.SearchResponse: ...
    def GetRetrievalCapabilities(
        self, request: pb2.GetRetrievalCapabilitiesRequest, context: grpc.ServicerContext
    ) -> pb2.GetRetrievalCapabilitiesResponse: ...
    def GetIndexStatus(
        self, request: pb2.GetIndexStatusRequest, context: grpc.ServicerContext
    ) -> pb2.GetIndexStatusResponse: ...
    def EmbedNews(
        self, request: pb2.EmbedNewsRequest, context: grpc.ServicerContext
    ) -> pb2.EmbedNewsResponse: ...
    def RouteQuery(
        self, request: pb2.SearchRequest, context: grpc.ServicerContext
    ) -> pb2.SearchResponse: ...
    def GetSchedulerStatus(
        self, request: pb2.GetSchedulerStatusRequest, context: grpc.ServicerContext
    ) -> pb2.GetSchedulerStatusResponse: ...
    def PauseJob(
        self, request: pb2.PauseJobRequest, context: grpc.ServicerContext
    ) -> pb2.PauseJobResponse: ...
    def ResumeJob(
        self, request: pb2.ResumeJobRequest, context: grpc.ServicerContext
    ) -> pb2.ResumeJobResponse: ...
    def RunJob(
        self, request: pb2.RunJobRequest, context: grpc.ServicerContext
    ) -> pb2.RunJobResponse: ...
    def Stop(
        self, request: pb2.StopRequest, context: grpc.ServicerContext
    ) -> pb2.StopResponse: ...

def add_MemoryServiceServicer_to_server(
    servicer: MemoryServiceServicer, server: grpc.Server
) -> None: ...
