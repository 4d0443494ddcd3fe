"""Bills by step: they add up, merge without loss, and an unknown price is never zero."""

from decimal import Decimal

from agent_core.model import events as ev
from agent_core.model.budget import Limits
from agent_core.model.intents import DayBudget
from agent_core.model.state import fold
from tests.support import sample_session as sample
from ui.models.cost import CostModel, day_is_tighter, day_words, lost_words, table_rows, unknown_words


def of(events: list[ev.Event]) -> CostModel:
    model = CostModel()
    model.apply(events)
    return model


def spent(events: list[ev.Event]) -> Decimal:
    return sum((e.data.cost_usd or Decimal(0) for e in events if isinstance(e.data, ev.ModelResponded)), Decimal(0))


def test_each_step_has_its_bill_and_they_add_up_to_the_spend() -> None:
    events = sample.sample_events()
    model = of(events)
    assert [bill.first for bill in model.bills] == list(range(1, 8))
    assert model.total.cost == spent(events) == sum(bill.cost or 0 for bill in model.bills)
    shown = model.state(fold(events).run, events[-1].at)
    assert abs(shown.total - float(spent(events))) < 1e-9
    assert shown.budget == 0.5


def test_many_steps_merge_into_few_bars_that_still_add_up() -> None:
    events = sample.long_session(3_000)
    model = of(events)
    assert len(model.bills) <= 480
    assert model.bills[0].first == 1
    assert model.bills[-1].last == 3_000
    assert sum(bill.cost or 0 for bill in model.bills) == spent(events)
    assert all(a.last + 1 == b.first for a, b in zip(model.bills, model.bills[1:], strict=False))


def test_the_projection_goes_to_the_first_limit_that_will_be_reached() -> None:
    story = sample.Story(limits=Limits(steps=4, tool_calls=100, tokens=10**9, cost_usd=Decimal(10), seconds=10**6))
    for _ in range(2):
        story.respond(story.request(), "Same again.", tokens=(0, 1_000, 100))
    model = of(story.events)
    shown = model.state(fold(story.events).run, story.now)
    assert shown.projected_step == 4
    assert shown.projected_total is not None
    assert abs(shown.projected_total - 2 * shown.total) < 1e-9


def test_an_ended_run_has_no_projection() -> None:
    story = sample.Story()
    for _ in range(3):
        story.respond(story.request(), "Same again.")
    story.add(ev.RunStopped(stop_reason="completed", completed=True, output="", gaps=[], confidence="high"))
    assert of(story.events).state(fold(story.events).run, story.now).projected_total is None


def test_without_a_price_nothing_is_drawn_and_the_tokens_are_said() -> None:
    story = sample.Story(price=False)
    story.respond(story.request(), "Hello.", tokens=(300, 6_000, 200))
    model = of(story.events)
    assert not model.known
    assert model.state(fold(story.events).run, story.now).steps == ()
    assert unknown_words(model).startswith("Cost unknown: there is no price for claude-sonnet-5-5. 14k tokens in, 200")
    assert table_rows(model)[0][-2:] == ("unknown", "unknown")


def test_one_response_without_a_price_makes_the_whole_unknown() -> None:
    story = sample.Story()
    story.respond(story.request(), "Priced.")
    story.price = False
    story.respond(story.request(), "Not priced.")
    assert not of(story.events).known


def test_a_new_run_begins_at_nothing() -> None:
    story = sample.Story()
    story.respond(story.request(), "First run.")
    story.start_run(Limits())
    model = of(story.events)
    assert model.bills == []
    assert model.total.cost == 0


def test_the_table_names_tokens_by_kind_and_a_running_total() -> None:
    rows = table_rows(of(sample.sample_events()))
    assert rows[0] == ("1", "0", "8,000", "8,400", "120", "$0.0570", "$0.0570")
    assert rows[1][0] == "2"
    assert float(rows[1][-1].strip("$")) > float(rows[0][-1].strip("$"))


def test_lost_requests_are_said_with_their_bound() -> None:
    story = sample.Story()
    request = story.request()
    story.add(
        ev.ModelFailed(request_id=request, attempt=1, fault="cut", message="lost", cost_bound_usd=Decimal("0.02"))
    )
    assert lost_words(of(story.events)) == "up to $0.02 more for lost requests"
    assert lost_words(of(sample.sample_events())) == ""


def test_the_limit_of_the_day_is_said_where_it_leaves_less_than_the_run() -> None:
    shown = of(sample.sample_events()).state(fold(sample.sample_events()).run, sample.START)
    near = DayBudget(spent_usd=Decimal("19.90"), unknown_runs=0, limit_usd=Decimal(20))
    far = DayBudget(spent_usd=Decimal(1), unknown_runs=0, limit_usd=Decimal(20))
    assert day_is_tighter(near, shown)
    assert not day_is_tighter(far, shown)
    assert not day_is_tighter(DayBudget(spent_usd=None, unknown_runs=1, limit_usd=Decimal(20)), shown)
    assert not day_is_tighter(None, shown)
    assert day_words(near) == "day limit is nearer: $19.90 of $20.00 spent today"
