package io.imexagent.imex.bind;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.imex.bind.BindQueue.BindResult;
import io.imexagent.imex.bind.BindQueue.TableCall;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BindQueueTest {

    private static final CliqueId CLIQUE = new CliqueId("00000000-0000-0000-0000-000000000001.1");
    private static final CliqueId ELSEWHERE = new CliqueId("00000000-0000-0000-0000-000000000001.2");

    private ChannelTable.Limits limits = new ChannelTable.Limits(4, 8);
    private List<ChannelEntry> own = List.of();
    private final BindQueue queue = new BindQueue("node", () -> limits, () -> own);
    private final Map<String, BindResult> answers = new HashMap<>();
    private ChannelTable table = ChannelTable.EMPTY;
    private int limit = 2048;
    private Optional<String> limitedBy = Optional.empty();
    private int version = 1;

    @Test
    void allThatWaitAreWrittenAtOnceAndAnsweredByThatWrite() {
        add("a");
        add("b");
        add("c");

        read();
        write(3);

        assertThat(answers).isEqualTo(Map.of("a", bound(1), "b", bound(2), "c", bound(3)));
        assertThat(queue.due()).isEmpty();
    }

    @Test
    void whoComesDuringAWriteIsWrittenOverItsAnswerWithoutARead() {
        add("a");
        read();
        TableCall.WriteTable first = due(TableCall.WriteTable.class);
        add("b");
        stored(first);

        write(1);

        assertThat(answers).isEqualTo(Map.of("a", bound(1), "b", bound(2)));
    }

    /** The hold of the second was acknowledged after the write: what that shows may be past. */
    @Test
    void whoComesDuringACallTakesNoChannelFromItsAnswer() {
        add("a");
        read();
        TableCall.WriteTable first = due(TableCall.WriteTable.class);
        add("a");
        stored(first);
        assertThat(answers).containsOnlyKeys("a");
        answers.clear();

        table = ChannelTable.of(List.of(entry(1, "other", ChannelEntry.EntryState.ASSIGNED)));
        version++;
        read();
        write(1);

        assertThat(answers).isEqualTo(Map.of("a", bound(2)));
    }

    @Test
    void whoComesDuringAReadIsWrittenButTakesNothingFromIt() {
        table = ChannelTable.of(List.of(entry(3, "b", ChannelEntry.EntryState.ASSIGNED)));
        add("a");
        TableCall.ReadTable read = due(TableCall.ReadTable.class);
        add("b");
        add("c");
        queue.read(read.clique(), stored());
        assertThat(answers).isEmpty();

        write(2);

        assertThat(answers).isEqualTo(Map.of("a", bound(1), "b", bound(3), "c", bound(2)));
    }

    @Test
    void twoClaimsOfOneComputeDomainHaveOneEntry() {
        add("a");
        add("a");
        read();

        write(1);

        assertThat(queue.due()).isEmpty();
        assertThat(table.entries()).hasSize(1);
    }

    @Test
    void marksAreTakenBackTogetherWithNewEntries() {
        table = ChannelTable.of(List.of(entry(1, "a", ChannelEntry.EntryState.RELEASING)));
        add("a");
        add("b");
        read();

        write(2);

        assertThat(answers).isEqualTo(Map.of("a", bound(1), "b", bound(2)));
    }

    @Test
    void whereTheNumbersRunOutTheFirstGetThemOnceTheyAreWritten() {
        add("a");
        add("b");
        add("c");
        add("d");
        read();
        assertThat(answers).isEmpty();

        write(3);

        assertThat(answers)
                .containsEntry("c", bound(3))
                .containsEntry("d", new BindResult.BindTableFull(3, Optional.empty()));
    }

    @Test
    void whoFindsNoChannelIsToldTheNodeForWhichThereAreNoMore() {
        table = ChannelTable.of(List.of(entry(1, "a", ChannelEntry.EntryState.ASSIGNED)));
        limit = 2;
        limitedBy = Optional.of("tray-9");
        add("b");
        read();
        assertThat(answers)
                .containsEntry("b", new BindResult.BindTableFull(1, Optional.of(new BindQueue.Least("tray-9", 1))));
    }

    /** The node came, or lost channels, after the others were bound. */
    @Test
    void moreChannelsMayHaveAnOwnerThanTheNodeWithTheFewestHas() {
        table = ChannelTable.of(IntStream.rangeClosed(1, 40)
                .mapToObj(id -> entry(id, "domain-" + id, ChannelEntry.EntryState.ASSIGNED))
                .toList());
        limits = new ChannelTable.Limits(256, 256);
        limit = 2;
        limitedBy = Optional.of("tray-9");
        add("b");
        read();
        assertThat(answers)
                .containsEntry("b", new BindResult.BindTableFull(40, Optional.of(new BindQueue.Least("tray-9", 1))));
    }

    @Test
    void aWriteThatWasOvertakenIsMadeAgainOverAFreshReadAfterAPause() {
        add("a");
        add("b");
        read();
        fail(due(TableCall.WriteTable.class), ApiFailure.FailureKind.CONFLICT);
        table = ChannelTable.of(List.of(entry(1, "other", ChannelEntry.EntryState.ASSIGNED)));
        version++;

        assertThat(queue.pause(() -> 1)).isEqualTo(Duration.ofMillis(5));
        read();
        assertThat(queue.pause(() -> 1)).isZero();
        write(2);

        assertThat(answers).isEqualTo(Map.of("a", bound(2), "b", bound(3)));
    }

    @Test
    void theMoreOftenItIsOvertakenTheLongerAreThePausesBetweenItsWrites() {
        add("a");
        for (int overtaken = 0; overtaken < 4; overtaken++) {
            read();
            fail(due(TableCall.WriteTable.class), ApiFailure.FailureKind.CONFLICT);
        }
        assertThat(queue.pause(() -> 1)).isEqualTo(Duration.ofMillis(40));
        read();
        TableCall.WriteTable write = due(TableCall.WriteTable.class);
        add("b");
        stored(write);

        assertThat(queue.pause(() -> 1))
                .as("the others come first now and then")
                .isEqualTo(Duration.ofMillis(10));
        assertThat(queue.due()).containsInstanceOf(TableCall.ReadTable.class);
    }

    /** Each of 18 agents writes its eight once, whichever of them writes first in each round. */
    @Test
    void eighteenAgentsThatMeetWriteOnceEach() {
        limits = new ChannelTable.Limits(256, 256);
        var agents = new ArrayList<BindQueue>();
        var bound = new HashSet<ChannelId>();
        for (int agent = 0; agent < 18; agent++) {
            var one = new BindQueue("node-" + agent, () -> limits, List::of);
            for (int number = 0; number < 8; number++) {
                one.add(domain(agent + "-" + number), CLIQUE, answer -> bound.add(((BindResult.BindDone) answer).id()));
            }
            agents.add(one);
        }
        int writes = 0;
        int conflicts = 0;
        while (bound.size() < 18 * 8) {
            var calls = new LinkedHashMap<BindQueue, TableCall.WriteTable>();
            for (BindQueue agent : agents) {
                if (agent.due().orElse(null) instanceof TableCall.ReadTable(CliqueId clique)) {
                    agent.read(clique, stored());
                    calls.put(agent, (TableCall.WriteTable) agent.due().orElseThrow());
                }
            }
            for (Map.Entry<BindQueue, TableCall.WriteTable> call : calls.entrySet()) {
                if (call.getValue().observed().version().equals(Integer.toString(version))) {
                    table = call.getValue().content().table();
                    version++;
                    writes++;
                    call.getKey().written(stored().orElseThrow());
                } else {
                    conflicts++;
                    call.getKey()
                            .failed(
                                    call.getValue(),
                                    new ApiFailure(ApiFailure.FailureKind.CONFLICT, "", Optional.empty()));
                }
            }
        }

        assertThat(writes).isEqualTo(18);
        assertThat(conflicts).as("where all that wait write at each moment").isEqualTo(18 * 17 / 2);
    }

    @Test
    void onceNothingWaitsTheNextOneWaitsForNoPause() {
        long number = add("a");
        read();
        fail(due(TableCall.WriteTable.class), ApiFailure.FailureKind.CONFLICT);
        queue.remove(number);
        assertThat(queue.due()).isEmpty();

        add("b");

        assertThat(queue.pause(() -> 1)).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = ApiFailure.FailureKind.class,
            names = {"ADMISSION", "INVALID"})
    void whereAnOlderPolicyTakesOneEntryAtATimeTheyAreWrittenOneByOne(ApiFailure.FailureKind kind) {
        add("a");
        add("b");
        read();
        fail(due(TableCall.WriteTable.class), kind);
        assertThat(answers).isEmpty();

        write(1);
        write(1);

        assertThat(answers).isEqualTo(Map.of("a", bound(1), "b", bound(2)));
    }

    @Test
    void severalAreTriedAgainOnceInAWhile() {
        add("a");
        add("b");
        read();
        fail(due(TableCall.WriteTable.class), ApiFailure.FailureKind.ADMISSION);
        limits = new ChannelTable.Limits(256, 256);
        int writes = 0;
        while (written(due(TableCall.WriteTable.class)) == 1) {
            stored(due(TableCall.WriteTable.class));
            add("more " + ++writes);
        }

        assertThat(writes).isEqualTo(64);
    }

    @Test
    void oneEntryThatIsRefusedFailsAloneAndTheOthersGoOn() {
        add("a");
        add("b");
        read();
        fail(due(TableCall.WriteTable.class), ApiFailure.FailureKind.INVALID);
        fail(due(TableCall.WriteTable.class), ApiFailure.FailureKind.INVALID);
        assertThat(answers).containsOnlyKeys("a");

        write(1);

        assertThat(answers.get("a")).isInstanceOf(BindResult.BindFailed.class);
        assertThat(answers.get("b")).isEqualTo(bound(1));
    }

    @Test
    void aCallThatFailsIsTheFailureOfThoseWhoWaitedForIt() {
        add("a");
        TableCall read = due(TableCall.ReadTable.class);
        add("b");
        fail(read, ApiFailure.FailureKind.TIMEOUT);
        assertThat(answers).containsOnlyKeys("a");

        read();
        fail(due(TableCall.WriteTable.class), ApiFailure.FailureKind.SERVER_ERROR);

        assertThat(answers.values()).hasSize(2).hasOnlyElementsOfType(BindResult.BindFailed.class);
        assertThat(queue.due()).isEmpty();
    }

    @Test
    void whatIsWrittenForOneWhoHasGivenUpIsNoMatterToTheOthers() {
        long number = add("a");
        add("b");
        read();
        TableCall.WriteTable write = due(TableCall.WriteTable.class);
        queue.remove(number);
        stored(write);

        assertThat(answers).isEqualTo(Map.of("b", bound(2)));
    }

    @Test
    void whoHasGivenUpBeforeTheWriteGetsNoEntry() {
        long number = add("a");
        add("b");
        read();
        queue.remove(number);

        write(1);

        assertThat(answers).isEqualTo(Map.of("b", bound(1)));
    }

    @Test
    void eachCliqueHasItsOwnTable() {
        add("a");
        queue.add(domain("b"), ELSEWHERE, answer -> answers.put("b", answer));
        read();
        write(1);

        assertThat(queue.due()).contains(new TableCall.ReadTable(ELSEWHERE));
        queue.read(ELSEWHERE, Optional.empty());

        assertThat(answers).isEqualTo(Map.of("a", bound(1), "b", new BindResult.BindWithoutTable()));
    }

    @Test
    void saysHowManyCameBefore() {
        List<Long> numbers = IntStream.range(0, 3).mapToObj(i -> add("d" + i)).toList();
        assertThat(queue.before(numbers.get(2))).hasValue(2);

        queue.remove(numbers.get(0));

        assertThat(queue.before(numbers.get(2))).hasValue(1);
        assertThat(queue.before(numbers.get(0))).isEqualTo(OptionalInt.empty());
    }

    @Test
    void aTableThatLacksWhatTheNodeUsesIsBoundFromOnlyAfterTheOthersWereAsked() {
        own = List.of(entry(1, "mine", ChannelEntry.EntryState.ASSIGNED));
        add("a");
        add("theirs");
        read();
        assertThat(answers).isEmpty();

        queue.nodesListed(due(TableCall.ListHolds.class).clique(), List.of(using("theirs", 2)));
        write(2);

        assertThat(answers).isEqualTo(Map.of("a", bound(3), "theirs", bound(2)));
    }

    @Test
    void whatATableGivesAgainstAUseIsRefusedAndTheOthersAreAskedOnceForAllThatWait() {
        limits = new ChannelTable.Limits(8, 8);
        own = List.of(entry(1, "mine", ChannelEntry.EntryState.ASSIGNED));
        table = ChannelTable.of(List.of(entry(2, "a", ChannelEntry.EntryState.ASSIGNED)));
        add("a");
        add("b");
        read();
        TableCall.ListHolds ask = due(TableCall.ListHolds.class);
        add("c");
        queue.nodesListed(ask.clique(), List.of(using("theirs", 2)));

        write(2);

        assertThat(answers.get("a")).isInstanceOf(BindResult.BindConflicting.class);
        assertThat(answers).containsEntry("b", bound(3)).containsEntry("c", bound(4));
    }

    @Test
    void whereTheOthersCannotBeAskedNothingIsTakenAndWhoCameMeanwhileWaitsForTheNextRead() {
        own = List.of(entry(1, "mine", ChannelEntry.EntryState.ASSIGNED));
        add("a");
        read();
        TableCall.ListHolds ask = due(TableCall.ListHolds.class);
        add("b");
        fail(ask, ApiFailure.FailureKind.TIMEOUT);
        assertThat(answers.get("a")).isInstanceOf(BindResult.BindFailed.class);

        table = ChannelTable.of(own);
        read();
        write(1);

        assertThat(answers).containsEntry("b", bound(2));
    }

    @Test
    void aDefectEndsAllWaits() {
        add("a");
        add("b");
        queue.broken(new IllegalStateException("a defect"));

        assertThat(answers.values()).hasSize(2).hasOnlyElementsOfType(BindResult.BindBroken.class);
        assertThat(queue.due()).isEmpty();
    }

    private long add(String name) {
        return queue.add(domain(name), CLIQUE, answer -> answers.put(name, answer));
    }

    private void read() {
        queue.read(due(TableCall.ReadTable.class).clique(), stored());
    }

    /** The call that is due writes so many entries, and is acknowledged. */
    private void write(int entries) {
        TableCall.WriteTable write = due(TableCall.WriteTable.class);
        assertThat(written(write)).isEqualTo(entries);
        stored(write);
    }

    private static long written(TableCall.WriteTable write) {
        return write.content().table().entries().values().stream()
                .filter(entry -> !write.observed().content().table().entries().containsValue(entry))
                .count();
    }

    private void stored(TableCall.WriteTable write) {
        assertThat(write.observed().version()).isEqualTo(Integer.toString(version));
        table = write.content().table();
        version++;
        queue.written(stored().orElseThrow());
    }

    private Optional<Stored<NvlinkClique>> stored() {
        return Optional.of(new Stored<>(
                CLIQUE.text(), "uid", Integer.toString(version), false, new NvlinkClique(limit, limitedBy, table)));
    }

    private void fail(TableCall call, ApiFailure.FailureKind kind) {
        queue.failed(call, new ApiFailure(kind, "as the test wants", Optional.empty()));
    }

    private <C extends TableCall> C due(Class<C> kind) {
        TableCall due = queue.due().orElseThrow();
        assertThat(due).isInstanceOf(kind);
        return kind.cast(due);
    }

    private static DomainName domain(String name) {
        return new DomainName(new ComputeDomainUid("uid-" + name), "team", name);
    }

    private static ChannelEntry entry(int id, String name, ChannelEntry.EntryState state) {
        return new ChannelEntry(new ChannelId(id), domain(name), "tray", state);
    }

    private static Stored<NvlinkNode> using(String domain, int channel) {
        return new Stored<>("other", "uid", "1", false, FakeFabric.using(CLIQUE, domain(domain), channel));
    }

    private static BindResult bound(int id) {
        return new BindResult.BindDone(new ChannelId(id));
    }
}
