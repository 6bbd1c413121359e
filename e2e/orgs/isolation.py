"""What a live session of acme's tries against the others: none of it succeeds, and the report names the layer that stopped it.

PINTAIL_REPORT=full prints every attempt, not the summary alone.
"""
import collections
import dataclasses
import os
import statistics
import time

import psycopg

import leftovers
from attempts import catalogs, files, objects, settings, shapes, startup
from attempts.attempt import Due, Protocol, each
from installation import Installation, host_of
from judge import Judge, Outcome
from world import World, changes

MODULES = (files, objects, catalogs, shapes, settings)
# What everybody is told who is not let in.
REFUSAL = 'password authentication failed for user "{}"'


def logins(installation):
    """Outcomes of start-up packets that must not let anybody in."""
    outcomes = []
    for name, change in startup.refused(installation, host_of):
        attempt = each(f"login: {name}", " ".join(f"{key}={value}" for key, value in change.items() if key != "password"))[0]
        parameters = installation.parameters("acme", change["dbname"]) | change
        layer, text = knock(parameters)
        if layer == "login" and REFUSAL.format(parameters["user"]) not in text:
            layer = None
        outcomes.append(Outcome(attempt, None, layer, text))
    for setting in startup.SETTINGS:
        attempt = each("settings at start-up", setting)[0]
        try:
            with installation.connect("acme", "lake", options=f"-c {setting.replace(' ', chr(92) + ' ')}") as connection:
                shown = connection.execute("SELECT current_user, current_database(), count(*) FROM scratch_table").fetchone()
                connection.execute("SELECT * FROM read_text('/etc/passwd')")
            outcomes.append(Outcome(attempt, None, None, "reads files"))
        except psycopg.Error as error:
            layer = "without effect" if error.sqlstate == "42501" and shown[:2] == ("ann", "lake") else "login"
            outcomes.append(Outcome(attempt, None, layer, str(error).strip()))
    return outcomes


def knock(parameters):
    """`login` and what was said, or None where somebody was let in."""
    try:
        psycopg.connect(**parameters).close()
        return None, "let in"
    except psycopg.OperationalError as error:
        return "login", str(error).strip()


def same_words(world, judge):
    """A catalog of another's is told of in the same words as one that nobody has."""
    for attempt in catalogs.attempts(world.scene):
        if " disk." in attempt.statements[-1]:
            renamed = dataclasses.replace(attempt, statements=tuple(text.replace("disk", "dusk") for text in attempt.statements))
            theirs, nobodys = ([outcome.text for outcome in judge.judge(one)] for one in (attempt, renamed))
            assert theirs == [text.replace("dusk", "disk") for text in nobodys], f"{theirs} is not {nobodys}"


def same_time(installation):
    """Median seconds of a refusal by its cause; an unknown name takes as long as a wrong password."""
    lake = installation.parameters("acme", "lake", password="wrong")
    causes = {
        "wrong password": lake, "unknown user": lake | {"user": "nobody_here"}, "foreign catalog": lake | {"dbname": "disk"},
        "unknown organisation": lake | {"host": host_of("nobody")}
    }
    times = collections.defaultdict(list)
    for _ in range(15):
        for cause, parameters in causes.items():
            start = time.monotonic()
            knock(parameters)
            times[cause].append(time.monotonic() - start)
    medians = {cause: statistics.median(found) for cause, found in times.items()}
    print("refusals take", ", ".join(f"{1000 * seconds:.1f} ms ({cause})" for cause, seconds in medians.items()))
    assert max(medians.values()) < 2 * min(medians.values()) + 0.02, medians


def controls(world, judge):
    """The same judgement of what must succeed: each is told as a success, or the checker sees nothing."""
    scene = world.scene
    own = scene.own_prefix
    with open(os.path.join(scene.own_files, "control.csv"), "w") as file:
        file.write("a\n1\n")
    allowed = each(
        "control", f"SELECT * FROM read_parquet('{own}main/scratch_table/*.parquet')", f"SELECT * FROM glob('{own}**')",
        "SELECT * FROM lake.public.scratch_table", "SELECT * FROM sales.public.scratch_table",
        f"SELECT * FROM read_csv('{scene.own_files}/control.csv')", f"SELECT * FROM '{scene.own_files}/control.csv'", "SELECT 1",
    )
    allowed += each("control", "ATTACH ':memory:' AS control", protocol=Protocol.SIMPLE)
    # Whatever shows the other's text is a success, an error too.
    allowed += each("control", f"SELECT '{world.canary}'", f"SELECT * FROM \"{world.canary}\"", due=Due.SILENCE)
    missed = [
        f"{outcome.attempt.statements}: {outcome.layer}, {outcome.text}" for attempt in allowed for outcome in judge.judge(attempt)
        if outcome.layer is not None
    ]
    before = world.look()
    installation = world.installation
    installation.store.request("PUT", "/lake/beta/control", body=b"x")
    with open(scene.probe, "w"):
        pass
    installation.postgres.query("CREATE SCHEMA control", "pintail")
    seen = changes(before, world.look())
    installation.store.request("DELETE", "/lake/beta/control")
    os.remove(scene.probe)
    installation.postgres.query("DROP SCHEMA control", "pintail")
    missed += [name for name in ("object beta/control", f"file {scene.probe}", "schema control") if name not in seen]
    if knock(installation.parameters("acme", "lake"))[0] is not None:
        missed.append("a login with the right password")
    deaths = len(judge.deaths)
    installation.admin.ask("DELETE", f"/sessions/{judge.pid}")
    judge.judge(each("control", "SELECT 1")[0])
    missed += ["the end of the session"] if len(judge.deaths) != deaths + 1 else []
    judge.deaths.pop()
    assert not missed, f"the checker did not see: {missed}"
    return len(allowed) + 5


def in_line(text):
    return " ".join(text.replace("|", "\u00a6").split())


def report(outcomes):
    """Prints the table; gives what succeeded."""
    if os.environ.get("PINTAIL_REPORT") == "full":
        print("| stopped by | topic | attempt | told |\n|---|---|---|---|")
        lines = collections.defaultdict(list)
        for outcome in outcomes:
            sql = " ;; ".join((*outcome.attempt.statements, *map(repr, outcome.attempt.parameters)))
            lines[outcome.attempt.topic, sql].append(outcome)
        for (topic, sql), found in lines.items():
            layers = ", ".join(dict.fromkeys(outcome.layer or "SUCCEEDED" for outcome in found))
            print(f"| {layers} | {topic} | {in_line(sql)[:180]} | {in_line(found[-1].text)[:120]} |")
    topics = collections.defaultdict(collections.Counter)
    for outcome in outcomes:
        topics[outcome.attempt.topic.split(":")[0]][outcome.layer or "SUCCEEDED"] += 1
    print("| topic | tried | stopped by |\n|---|---|---|")
    for topic, layers in topics.items():
        print(f"| {topic} | {sum(layers.values())} | {', '.join(f'{layer} {count}' for layer, count in layers.most_common())} |")
    succeeded = [outcome for outcome in outcomes if outcome.layer is None]
    distinct = len({(outcome.attempt.statements, outcome.attempt.parameters) for outcome in outcomes})
    print(f"| total: {distinct} attempts | {len(outcomes)} | {len(succeeded)} succeeded |")
    return succeeded


def main():
    with Installation() as installation:
        world = World(installation)
        judge = Judge(lambda: installation.connect("acme", "lake"), world.secrets())
        print(f"controls: {controls(world, judge)} things that must succeed are seen to")
        leftovers.prepare(installation)
        before = world.look()
        outcomes = [outcome for module in MODULES for attempt in module.attempts(world.scene) for outcome in judge.judge(attempt)]
        outcomes += logins(installation) + leftovers.outcomes(installation)
        changed = changes(before, world.look())
        succeeded = report(outcomes)
        world.unharmed()
        same_words(world, judge)
        same_time(installation)
        assert not succeeded, "\n".join(f"{outcome.attempt.statements} {outcome.attempt.parameters}: {outcome.text}" for outcome in succeeded)
        assert not judge.deaths, f"the session died of: {judge.deaths}"
        assert not changed, f"changed outside: {changed}"
    print("isolation: fine")


if __name__ == "__main__":
    main()
