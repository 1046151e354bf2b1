"""Goal: what is open at the end of a history is told, and nothing that was done since.

Method: sessions of several days in four trades and three languages, told to the rules one by one:
what each leaves open, and what it does about what was open before it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentx.observations.closing.doings import Doings
from agentx.observations.closing.done import find_rest
from agentx.observations.extract.errors import OPEN_FAILURE
from agentx.observations.labels import LABELS
from agentx.observations.model import Category
from tests.support.observations import observation
from tests.support.telling import Talk

_BEFORE_MS = 1_772_000_000_000


def _tell_open(sessions: list[Talk]) -> list[str]:
    """Return what is open after all of them."""
    left: list[str] = []
    for talk in sessions:
        deeds = Doings(talk.turns).deeds
        before = [
            observation(one, category=Category.KEY_FACT, at_ms=_BEFORE_MS)
            for one in left
            if one.startswith(LABELS)
        ]
        left = [rest for one in before if (rest := find_rest(one, deeds))]
        left += [one for one in talk.kept() if one.startswith(LABELS) or OPEN_FAILURE in one]
    return left


def _tell_coupons() -> list[Talk]:
    sessions = []
    talk = Talk()
    talk.user("add a coupon field to the checkout form. just the form and the api call for now")
    talk.shell(
        'rg -n "checkout" src --files-with-matches', "src/checkout/Form.tsx\nsrc/checkout/api.ts", 0
    )
    talk.edit(
        "src/checkout/Form.tsx",
        "<Total cart={cart} />",
        "<CouponField onApply={apply} />\n<Total cart={cart} />",
    )
    talk.edit(
        "src/checkout/api.ts",
        "export async function placeOrder(",
        (
            "export async function applyCoupon(code: string) { return "
            "post('/coupons/apply', { code }); }\n\nexport async function"
            " placeOrder("
        ),
    )
    talk.shell(
        "npm test -- checkout", "PASS src/checkout/Form.test.tsx\nTests: 14 passed, 14 total", 0
    )
    talk.shell(
        ('git add -A && git commit -m "Add a coupon field to the checkout form"'),
        (
            "[main 4be1a0c] Add a coupon field to the checkout form\n 2 "
            "files changed, 19 insertions(+), 1 deletion(-)"
        ),
        0,
    )
    talk.agent(
        "The coupon field is in the checkout form and calls `POST "
        "/coupons/apply`.\n\nStill to do:\n- validate the code on the"
        " server (today any code is accepted)\n- an e2e test of the "
        "discount in the order total\n- the wording for expired "
        "coupons, design owes us the text"
    )
    sessions.append(talk)
    talk = Talk()
    talk.user("ok now validate the coupon codes server side")
    talk.shell(
        "cat server/routes/coupons.ts",
        ("router.post('/coupons/apply', async (req, res) => res.json({ ok: true }));"),
        0,
    )
    talk.edit(
        "server/routes/coupons.ts",
        "async (req, res)",
        (
            "res.json({ ok: true }) => async (req, res) => {\n  const "
            "coupon = await coupons.find(req.body.code);\n  if (!coupon "
            "|| coupon.expiresAt < now()) return res.status(422).json({ "
            "error: 'invalid_coupon' });\n  res.json({ ok: true, percent:"
            " coupon.percent });\n}"
        ),
    )
    talk.shell(
        "npm test -- server/coupons",
        "PASS server/routes/coupons.test.ts\nTests: 6 passed, 6 total",
        0,
    )
    talk.shell(
        'git commit -am "Reject unknown and expired coupons"',
        (
            "[main 77c0d1e] Reject unknown and expired coupons\n 2 files "
            "changed, 41 insertions(+), 1 deletion(-)"
        ),
        0,
    )
    talk.agent(
        "Unknown and expired codes now get a 422 with `invalid_coupon`. Covered by six tests."
    )
    talk.user("and the e2e")
    talk.edit(
        "e2e/checkout.spec.ts",
        "test('order total'",
        ("test('coupon lowers the total', async ({ page }) => { })\ntest('order total'"),
    )
    talk.shell("npx playwright test e2e/checkout.spec.ts", "3 passed (11.2s)", 0)
    talk.shell(
        'git commit -am "Test the coupon discount end to end"',
        ("[main 0a9b3f2] Test the coupon discount end to end\n 1 file changed, 22 insertions(+)"),
        0,
    )
    talk.agent("Done: `e2e/checkout.spec.ts` buys with SPRING10 and checks the total.")
    sessions.append(talk)
    return sessions


def _tell_beacon() -> list[Talk]:
    sessions = []
    talk = Talk()
    talk.user("der sensor zieht im sleep 210 \u00b5A statt 40, schau mal warum")
    talk.shell(
        'rg -n "sleep|k_sleep|pm_" app/src',
        (
            "app/src/ble.c:88: bt_le_adv_start(BT_LE_ADV_CONN_FAST_1, ad,"
            " ARRAY_SIZE(ad), NULL, 0);\napp/src/main.c:41: "
            "pm_state_force(0u, &info);"
        ),
        0,
    )
    talk.agent(
        "Ursache gefunden: das Advertising l\u00e4uft mit "
        "`BT_LE_ADV_CONN_FAST_1` (30 bis 60 ms) auch im Sleep weiter."
        " Das allein sind rund 160 \u00b5A.\n\nSoll ich das Intervall auf "
        "500 ms hochsetzen oder Advertising im Sleep ganz abschalten?"
    )
    sessions.append(talk)
    talk = Talk()
    talk.user("500 ms, ganz aus geht nicht, die app muss ihn ja noch finden")
    talk.edit(
        "app/src/ble.c",
        "BT_LE_ADV_CONN_FAST_1",
        "BT_LE_ADV_PARAM(BT_LE_ADV_OPT_CONNECTABLE, 800, 800, NULL)",
    )
    talk.shell(
        "west build -b nrf52840dk_nrf52840 app",
        "[148/148] Linking C executable zephyr/zephyr.elf",
        0,
    )
    talk.shell(
        'git commit -am "BLE-Advertising im Sleep auf 500 ms"',
        (
            "[main 5f0e2a1] BLE-Advertising im Sleep auf 500 ms\n 1 file "
            "changed, 1 insertion(+), 1 deletion(-)"
        ),
        0,
    )
    talk.agent(
        "Das Intervall steht jetzt auf 500 ms und der Build ist gr\u00fcn."
        " Den Strom auf dem echten Board habe ich nicht gemessen, das"
        " musst du mit dem PPK machen."
    )
    sessions.append(talk)
    talk = Talk()
    talk.user(
        "board gemessen: 38 \u00b5A, passt. als n\u00e4chstes ota: das image "
        "wird beim zweiten update abgelehnt"
    )
    talk.shell(
        "west build -t run tests/ota",
        (
            "FAIL - test_second_update: slot 1 not erased\nSUITE FAIL - "
            "75.00% [ota]: pass = 3, fail = 1"
        ),
        1,
    )
    talk.edit(
        "app/src/ota.c",
        "flash_img_init(&ctx);",
        ("flash_img_init(&ctx);\nboot_erase_img_bank(FIXED_PARTITION_ID(slot1_partition));"),
    )
    talk.shell(
        "west build -t run tests/ota",
        (
            "FAIL - test_second_update: -EBUSY while erasing slot "
            "1\nSUITE FAIL - 75.00% [ota]: pass = 3, fail = 1"
        ),
        1,
    )
    talk.agent(
        "Slot 1 wird jetzt vor dem Schreiben gel\u00f6scht, aber der Test "
        "scheitert noch mit `-EBUSY`: der Bootloader h\u00e4lt die Bank, "
        "solange das Image nicht best\u00e4tigt ist. Ich habe hier "
        "aufgeh\u00f6rt, `ota.c` ist nicht committet."
    )
    sessions.append(talk)
    return sessions


def _tell_backfill() -> list[Talk]:
    sessions = []
    talk = Talk()
    talk.user("Backfill fct_orders for 2024, month by month. Use dbt with the vars we have.")
    talk.shell(
        ('dbt run -s fct_orders --vars \'{"from": "2024-01-01", "to": "2024-02-01"}\''),
        ("1 of 1 OK created sql incremental model marts.fct_orders [SUCCESS 1 in 212.10s]"),
        0,
    )
    talk.shell(
        ('dbt run -s fct_orders --vars \'{"from": "2024-02-01", "to": "2024-03-01"}\''),
        ("1 of 1 OK created sql incremental model marts.fct_orders [SUCCESS 1 in 208.33s]"),
        0,
    )
    talk.shell(
        ('dbt run -s fct_orders --vars \'{"from": "2024-03-01", "to": "2024-04-01"}\''),
        ("1 of 1 OK created sql incremental model marts.fct_orders [SUCCESS 1 in 221.92s]"),
        0,
    )
    talk.agent(
        "January to March 2024 are backfilled. I stopped there: the "
        "warehouse is at 96 % of its monthly quota.\n\nOpen: April, "
        "May and June; they wait for Priya raising the warehouse "
        "quota."
    )
    sessions.append(talk)
    talk = Talk()
    talk.user("priya raised the quota to 8 TB. go on with april")
    talk.shell(
        ('dbt run -s fct_orders --vars \'{"from": "2024-04-01", "to": "2024-05-01"}\''),
        ("1 of 1 OK created sql incremental model marts.fct_orders [SUCCESS 1 in 230.01s]"),
        0,
    )
    talk.shell(
        ('dbt run -s fct_orders --vars \'{"from": "2024-05-01", "to": "2024-06-01"}\''),
        ("1 of 1 OK created sql incremental model marts.fct_orders [SUCCESS 1 in 226.40s]"),
        0,
    )
    talk.shell(
        ('dbt run -s fct_orders --vars \'{"from": "2024-06-01", "to": "2024-07-01"}\''),
        (
            "Database Error in model fct_orders "
            '(models/marts/fct_orders.sql)\n  column "channel_id" does '
            "not exist"
        ),
        1,
    )
    talk.agent(
        "April and May are in. June fails: from 2024-06-03 on the "
        "source is `orders_v2`, which has `channel_key` instead of "
        "`channel_id`."
    )
    talk.user(
        "leave june. the source team migrates the old rows on monday,"
        " then we run it again without touching the model"
    )
    talk.agent(
        "Understood, I left the model as it is. June is to be run "
        "again after the source team's migration on Monday."
    )
    sessions.append(talk)
    return sessions


def _tell_offline_orders() -> list[Talk]:
    sessions = []
    talk = Talk()
    talk.user(
        "quiero que la app guarde los pedidos sin conexi\u00f3n y los mande cuando vuelva la red"
    )
    talk.shell(
        'rg -n "OrderRepository" app/src/main',
        ("app/src/main/java/mx/tienda/OrderRepository.kt:12:class OrderRepository("),
        0,
    )
    talk.edit(
        "app/src/main/java/mx/tienda/OrderRepository.kt",
        "api.send(order)",
        "queue.add(order)\nif (network.isOnline()) queue.flush()",
    )
    talk.shell("./gradlew :app:testDebugUnitTest", "BUILD SUCCESSFUL in 48s", 0)
    talk.shell(
        'git commit -am "Guarda los pedidos sin conexi\u00f3n en una cola"',
        (
            "[main 3d11c7b] Guarda los pedidos sin conexi\u00f3n en una cola\n"
            " 3 files changed, 88 insertions(+), 4 deletions(-)"
        ),
        0,
    )
    talk.agent(
        "Los pedidos se guardan en Room y se env\u00edan al recuperar la "
        "red.\n\nQueda pendiente:\n1. avisar al usuario con una "
        "notificaci\u00f3n cuando se env\u00ede el pedido\n2. l\u00edmite de tama\u00f1o "
        "de la cola\n3. pantalla de ajustes para borrar la cola"
    )
    sessions.append(talk)
    talk = Talk()
    talk.user(
        "lo de la notificaci\u00f3n d\u00e9jalo, producto no la quiere. pon el "
        "l\u00edmite de la cola en 200 pedidos"
    )
    talk.edit(
        "app/src/main/java/mx/tienda/Queue.kt",
        "fun add(order: Order) {",
        "fun add(order: Order) {\n  require(size() < MAX_ORDERS)",
    )
    talk.shell("./gradlew :app:testDebugUnitTest", "BUILD SUCCESSFUL in 51s", 0)
    talk.shell(
        'git commit -am "Limita la cola a 200 pedidos"',
        ("[main 8e0f5a2] Limita la cola a 200 pedidos\n 2 files changed, 14 insertions(+)"),
        0,
    )
    talk.agent("La cola admite 200 pedidos; el siguiente da un error que la pantalla muestra.")
    talk.user(
        "perfecto. ma\u00f1ana probamos con el backend real de staging, "
        "que hoy est\u00e1 ca\u00eddo"
    )
    talk.agent("De acuerdo.")
    sessions.append(talk)
    return sessions


_Tell = Callable[[], list[Talk]]


@pytest.mark.parametrize(
    ("tell", "open_words", "done_words"),
    [
        (_tell_coupons, ["expired"], ["server", "e2e"]),
        (_tell_beacon, ["nicht committet", "test_second_update"], ["Soll ich", "PPK"]),
        (_tell_backfill, ["June"], ["April", "quota"]),
        (_tell_offline_orders, ["ajustes", "staging"], ["notificaci\u00f3n", "l\u00edmite"]),
    ],
)
def test_only_what_is_still_open_is_told(
    tell: _Tell, open_words: list[str], done_words: list[str]
) -> None:
    told = _tell_open(tell())

    assert [each for each in open_words if not any(each in one for one in told)] == [], told
    assert [one for one in told if any(each in one for each in done_words)] == []
