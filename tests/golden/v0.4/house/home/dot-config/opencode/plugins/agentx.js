// Tells AgentX what happens in OpenCode. Written by `agentx setup opencode`: change it there.
//
// Every payload is one JSON object on the standard input of agentx-hook:
//
//     {"hook": name, "session_id": id, "cwd": directory, "timestamp": ms, "payload": {...}}
//
// Laws. No callback throws. None waits for the hook but the one that builds a system prompt, and
// the one after a command that failed or a file that was changed; each for CONTEXT_WAIT_MS at most. Children, queue and memory are bounded; what the bound
// drops is counted and told. Nothing is written to disk here: the hook redacts first.

import { spawn, spawnSync } from "node:child_process"

const HOOK = ["/@golden/home/.local/share/agent-memory/bin/agentx-hook", "--harness", "opencode"]

const CONTEXT_WAIT_MS = 500
const CONTEXT_CHARS_MAX = 1_000_000
const CHILDREN_MAX = 4
const CHILD_MS_MAX = 10_000
const QUEUE_MAX = 2_000
const QUEUE_CHARS_MAX = 64 * 1024 * 1024
// A hook that cannot be started this often in a row has been removed: nobody listens any more.
const FAILED_STARTS_MAX = 5
// What may be left when OpenCode ends: it is handed over before the process is gone.
const END_MS_MAX = 1_500
const END_CHILD_MS_MAX = 750
const REMEMBERED_MAX = 5_000
const PROMPTS_MAX = 50
const RESULT_CHARS_MAX = 64 * 1024
const EDITORS = ["edit", "write", "patch", "multiedit", "apply_patch"]

const quietly = (work) => {
  try {
    return work()
  } catch {
    return undefined
  }
}

// --- handing payloads to the hook ---------------------------------------------------------

const queue = []
const running = new Set()
let queuedChars = 0
let dropped = 0
let failedStarts = 0
let ending = false // from then on nothing is started that nobody could wait for

const post = (text) => {
  if (failedStarts >= FAILED_STARTS_MAX) return
  if (queue.length >= QUEUE_MAX || queuedChars + text.length > QUEUE_CHARS_MAX) {
    dropped += 1
    return
  }
  queue.push(text)
  queuedChars += text.length
  pump()
}

const pump = () => {
  while (!ending && queue.length > 0 && running.size < CHILDREN_MAX) {
    const text = queue.shift()
    queuedChars -= text.length
    start(text)
  }
}

// Starts the hook for one payload; `told` gets what it prints, or "" when that is nothing.
const start = (text, told) => {
  const job = { text, written: false, over: false }
  const finish = (said) => {
    if (job.over) return
    job.over = true
    clearTimeout(job.timer)
    running.delete(job)
    if (told) told(said)
    quietly(pump)
  }
  running.add(job)
  try {
    // Detached: what the user types to stop OpenCode must not stop the hook amid its work.
    const child = spawn(HOOK[0], HOOK.slice(1), {
      detached: true,
      windowsHide: true,
      stdio: ["pipe", told ? "pipe" : "ignore", "ignore"],
    })
    job.stop = () => quietly(() => process.kill(-child.pid, "SIGKILL"))
    job.timer = setTimeout(() => {
      job.stop()
      finish("")
    }, CHILD_MS_MAX)
    job.timer.unref?.()
    let said = ""
    child.on("error", () => {
      failedStarts += 1
      finish("")
    })
    child.on("spawn", () => {
      failedStarts = 0
    })
    child.on("close", () => finish(said))
    child.stdin.on("error", () => {})
    child.stdin.end(text, () => {
      job.written = true
    })
    if (told) {
      child.stdout.setEncoding("utf8")
      child.stdout.on("error", () => {})
      child.stdout.on("data", (piece) => {
        if (said.length < CONTEXT_CHARS_MAX) said += piece
      })
    }
    child.unref()
  } catch {
    failedStarts += 1
    finish("")
  }
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

// Waits until the hook has taken everything, for a bounded time.
const settled = async () => {
  const until = Date.now() + END_MS_MAX
  while ((queue.length > 0 || running.size > 0) && Date.now() < until) await pause(5)
}

// The process ends now: what no hook has read yet is handed over one by one.
const lastWords = () => {
  const until = Date.now() + END_MS_MAX
  const unread = [...running].filter((job) => !job.written)
  // A hook that has read half a payload must not take it for a whole one.
  for (const job of unread) job.stop?.()
  for (const text of [...unread.map((job) => job.text), ...queue.splice(0)]) {
    const left = until - Date.now()
    if (left <= 0 || failedStarts >= FAILED_STARTS_MAX) return
    const done = spawnSync(HOOK[0], HOOK.slice(1), {
      input: text,
      stdio: ["pipe", "ignore", "ignore"],
      timeout: Math.min(left, END_CHILD_MS_MAX),
      windowsHide: true,
    })
    if (done.error?.code === "ENOENT") return
  }
}

// --- what is worth telling ----------------------------------------------------------------

const remember = (map, key, value) => {
  map.delete(key)
  map.set(key, value)
  if (map.size > REMEMBERED_MAX) map.delete(map.keys().next().value)
}

// Pictures and files travel as data URLs of megabytes: their names are enough.
const slim = (part) => {
  const { url, source, ...rest } = part
  if (!rest.state) return rest
  const { attachments, ...state } = rest.state
  return { ...rest, state }
}

class Reporter {
  constructor(directory) {
    this.directory = directory
    this.sessions = new Map()
    this.messages = new Map()
    this.told = new Map()
    this.edited = new Map()
  }

  text(hook, sessionID, payload) {
    return JSON.stringify({
      hook,
      session_id: sessionID,
      cwd: this.directory,
      timestamp: Date.now(),
      payload,
    })
  }

  tell(hook, sessionID, payload) {
    if (dropped > 0 && queue.length < QUEUE_MAX / 2) {
      const count = dropped
      dropped = 0
      post(this.text("agentx.dropped", sessionID, { count }))
    }
    post(this.text(hook, sessionID, payload))
  }

  once(key, work) {
    if (this.told.has(key)) return
    remember(this.told, key, true)
    work()
  }

  // A session is new when OpenCode says so; one that is first seen at a prompt goes on.
  begin(sessionID, info, resumed) {
    const known = this.sessions.get(sessionID)
    if (known && (resumed || known.created)) return known
    const session = { created: !resumed, parent: info.parentID, last: known?.last, prompts: [] }
    remember(this.sessions, sessionID, session)
    const context = this.ask("session.created", sessionID, { info, resumed })
    session.context = info.parentID ? undefined : context
    return session
  }

  prompt(input, output) {
    const sessionID = input.sessionID
    const session = this.begin(sessionID, { id: sessionID }, true)
    remember(this.messages, output.message.id, { role: "user" })
    const said = {
      message: output.message,
      parts: output.parts.map(slim),
      parent_id: session.parent,
    }
    if (session.parent || running.size >= CHILDREN_MAX) {
      this.tell("chat.message", sessionID, said)
      return
    }
    // What is told at a prompt stays before the model, as it would in the conversation.
    const told = this.ask("chat.message", sessionID, said)
    session.prompts = [...session.prompts, told].slice(-PROMPTS_MAX)
  }

  // Asks the hook; `waited` ends with its answer, or at a bound. What comes later is `said` as well:
  // the hook has noted that it told it, and tells it no more.
  ask(hook, sessionID, payload) {
    const asked = { said: "", waited: Promise.resolve() }
    if (failedStarts >= FAILED_STARTS_MAX) return asked
    asked.waited = new Promise((resolve) => {
      const timer = setTimeout(resolve, CONTEXT_WAIT_MS)
      start(this.text(hook, sessionID, payload), (said) => {
        clearTimeout(timer)
        const context = quietly(() => JSON.parse(said).context)
        if (typeof context === "string") asked.said = context
        resolve()
      })
    })
    return asked
  }

  // What is known of a command that failed, or of a file that was changed, follows its result.
  async after(input, output) {
    const failed = Number(output.metadata?.exit ?? 0) !== 0
    if (input.tool === "bash" ? !failed : !EDITORS.includes(input.tool)) return
    if (running.size >= CHILDREN_MAX) return
    const args = input.args ?? {}
    if (!failed) {
      const file = `${input.sessionID}:${args.filePath ?? input.callID}`
      if (this.edited.has(file)) return
      remember(this.edited, file, true)
    }
    const asked = this.ask("tool.execute.after", input.sessionID, {
      tool_name: input.tool,
      tool_input: args,
      output: { failed, text: String(output.output ?? "").slice(-RESULT_CHARS_MAX) },
    })
    await asked.waited
    if (asked.said) output.output = `${output.output ?? ""}\n\n${asked.said}`
  }

  message(info) {
    const { role, summary, agent, mode, modelID, providerID } = info
    if (role !== "assistant") return
    remember(this.messages, info.id, { role, summary, agent, mode, modelID, providerID })
    const session = this.sessions.get(info.sessionID)
    if (session) session.last = info.id
  }

  part(part) {
    const message = this.messages.get(part.messageID) ?? {}
    if (message.role === "user") return
    const status = part.type === "tool" ? part.state?.status : undefined
    const worth =
      part.type === "text"
        ? part.time?.end && !part.synthetic && !part.ignored
        : ["running", "completed", "error"].includes(status)
    if (!worth) return
    this.once(`${part.id}:${status}`, () =>
      this.tell("message.part.updated", part.sessionID, { message, part: slim(part) }),
    )
  }

  event(event) {
    const properties = event.properties ?? {}
    const sessionID = properties.sessionID ?? properties.info?.id
    const session = this.sessions.get(sessionID)
    switch (event.type) {
      case "session.created":
        this.begin(sessionID, properties.info ?? { id: sessionID }, false)
        break
      case "message.updated":
        this.message(properties.info)
        break
      case "message.part.updated":
        this.part(properties.part)
        break
      case "session.idle":
        this.tell(event.type, sessionID, { message_id: session?.last, parent_id: session?.parent })
        break
      case "session.error":
        this.tell(event.type, sessionID, { error: properties.error, message_id: session?.last })
        break
      case "session.deleted":
        this.tell(event.type, sessionID, { info: properties.info })
        break
    }
  }

  end(reason) {
    for (const [sessionID, session] of this.sessions) {
      if (!session.parent) this.tell("session.ended", sessionID, { reason })
    }
    this.sessions.clear()
  }

  async context(sessionID) {
    const session = this.sessions.get(sessionID)
    // A summary of the session must not take up what was recalled: memory would feed on itself.
    if (!session || this.messages.get(session.last)?.summary === true) return ""
    const asked = [session.context, ...session.prompts].filter(Boolean)
    await Promise.all(asked.map((each) => each.waited))
    return asked.map((each) => each.said).filter(Boolean).join("\n\n")
  }
}

// --- the plugin ---------------------------------------------------------------------------

// Installed for the user and for the project as well, it is loaded twice: one reporter is enough.
const claimed = (globalThis[Symbol.for("agentx.opencode")] ??= new Map())

process.on("exit", () =>
  quietly(() => {
    ending = true
    for (const reporter of claimed.values()) {
      if (reporter.owner === post) quietly(() => reporter.end("exit"))
    }
    lastWords()
  }),
)

export const AgentX = async ({ directory }) => {
  if (claimed.has(directory)) return {}
  const reporter = new Reporter(directory)
  reporter.owner = post
  claimed.set(directory, reporter)
  return {
    event: async (input) => quietly(() => reporter.event(input.event)),
    "chat.message": async (input, output) => quietly(() => reporter.prompt(input, output)),
    "tool.execute.after": async (input, output) => {
      try {
        await reporter.after(input, output)
      } catch {
        return
      }
    },
    "experimental.chat.system.transform": async (input, output) => {
      try {
        // The same callback serves the request for a title, which needs no memory.
        if (/title generator/i.test(output.system[0]?.slice(0, 200) ?? "")) return
        const context = await reporter.context(input.sessionID)
        if (context) output.system.push(context)
      } catch {
        return
      }
    },
    dispose: async () => {
      try {
        claimed.delete(directory)
        reporter.end("dispose")
        await settled()
      } catch {
        return
      }
    },
  }
}
