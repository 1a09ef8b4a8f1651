package io.imexagent.e2e.fabric;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.imex.bind.BindQueue;
import io.imexagent.imex.bind.ChannelConflicts;
import io.imexagent.imex.bind.HoldState;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.ChannelTable.DoubleUse;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A node of the fleet: pods come, with the first claim of their ComputeDomain on the node or a further one, and go. What it
 * writes when is the agent's own {@link HoldState}, which calls it makes to a table its own {@link BindQueue}, and what it
 * makes of a table that contradicts its uses its own {@link ChannelConflicts}.
 */
final class SimulatedNode {

    private static final int CHANNELS = 2048;
    private static final ChannelTable.Limits LIMITS = new ChannelTable.Limits(128, 127);

    /** A full table is read again when the kubelet calls again. */
    private static final Duration NEXT_CALL = Duration.ofSeconds(20);

    /** Bytes of the objects that a prepare reads. */
    private static final int CLAIM = 2_300;

    private static final int COMPUTE_DOMAIN = 900;

    /** Milliseconds that a call takes each way at least, and as many more on average. */
    private static final int READ = 1;

    private static final int WRITE = 3;

    private static final ApiFailure OVERTAKEN =
            new ApiFailure(ApiFailure.FailureKind.CONFLICT, "another write came first", Optional.empty());

    private final String name;
    private final CliqueId clique;
    private final Timeline time;
    private final SimulatedServer server;
    private final Figures figures;
    private final HoldState book;
    private final Map<ComputeDomainUid, Bind> binds = new HashMap<>();
    private final Map<ComputeDomainUid, ChannelId> uses = new HashMap<>();
    private final BindQueue queue;
    private final ChannelConflicts conflicts;

    /** What binds went by last. */
    private Sight sight = new Sight(Optional.empty(), List.of(), List.of());

    /** What the table that was read last speaks against. */
    private List<DoubleUse> against = List.of();

    private boolean calling;
    private boolean looking;
    private boolean comparing;

    /** A table as it was read, with what this node and others used when the server answered. */
    private record Sight(Optional<Stored<NvlinkClique>> table, List<ChannelEntry> own, List<ChannelEntry> others) {

        boolean isDamaged(List<ChannelEntry> stillOwn) {
            return !table.map(found -> found.content().table())
                    .orElse(ChannelTable.EMPTY)
                    .covers(own.stream().filter(stillOwn::contains).toList());
        }
    }

    private static final class Bind {
        private final DomainName domain;
        private final long begun;
        private int calls;
        private boolean queued;
        private long number;

        Bind(DomainName domain, long begun) {
            this.domain = domain;
            this.begun = begun;
        }
    }

    SimulatedNode(String name, CliqueId clique, Timeline time, SimulatedServer server, Figures figures) {
        this.name = name;
        this.clique = clique;
        this.time = time;
        this.server = server;
        this.figures = figures;
        this.queue = new BindQueue(name, () -> LIMITS, this::ownUses);
        this.conflicts = new ChannelConflicts(name, new ChannelConflicts.ConflictListener() {
            @Override
            public void started(DoubleUse use, CliqueId in) {}

            @Override
            public void over(DoubleUse use) {}
        });
        this.book = new HoldState(
                "session of " + name,
                List.of(),
                false,
                Optional.of(clique),
                Optional.of(new BootId("boot of " + name)),
                OptionalInt.of(CHANNELS));
    }

    /** The agent begins: its object is written before anything else. */
    void start() {
        step();
    }

    /** The kubelet asks for the first claim of the ComputeDomain here. */
    void prepare(DomainName domain) {
        var bind = new Bind(domain, time.now());
        binds.put(domain.uid(), bind);
        read(
                bind,
                "ResourceClaim",
                CLAIM,
                () -> read(bind, "ComputeDomain", COMPUTE_DOMAIN, () -> {
                    book.want(new Hold(domain, Optional.empty()));
                    step();
                }));
    }

    /** The kubelet asks for a further claim of a ComputeDomain; it gets the channel that the first one has. */
    void prepareFurther(DomainName domain) {
        if (conflicts.compared(clique) && conflicts.of(domain.uid()).isEmpty()) {
            goOn(domain);
        } else {
            readTable(read -> goOn(domain));
        }
    }

    private void goOn(DomainName domain) {
        if (!uses.containsKey(domain.uid())
                || book.heldSince(domain.uid(), clique).isEmpty()) {
            return;
        }
        if (conflicts.of(domain.uid()).isPresent()) {
            figures.refusedInConflict();
            return;
        }
        against.stream()
                .filter(use -> use.user().domain().uid().equals(domain.uid()))
                .findFirst()
                .ifPresent(use -> {
                    throw new IllegalStateException("a further claim goes against the table: " + use.text(clique));
                });
        figures.further();
    }

    private void read(Bind bind, String kind, int bytes, Runnable then) {
        bind.calls++;
        Supplier<Boolean> read = () -> {
            server.call("GET " + kind, 0, bytes);
            return true;
        };
        time.call(READ, read, done -> {
            if (alive(bind)) {
                then.run();
            }
        });
    }

    /** The last pod of the ComputeDomain here has ended, or gave up. */
    void unprepare(DomainName domain) {
        Optional.ofNullable(binds.remove(domain.uid())).ifPresent(bind -> queue.remove(bind.number));
        ChannelId used = uses.remove(domain.uid());
        if (used != null) {
            figures.gaveBack(clique, used, domain);
        }
        book.release(domain.uid());
        var _ = conflicts.follow(book.holds());
        step();
    }

    private boolean alive(Bind bind) {
        return binds.get(bind.domain.uid()) == bind;
    }

    private void step() {
        callIfDue();
        binds.values().forEach(this::queue);
        look();
    }

    private void callIfDue() {
        if (!calling) {
            book.due().ifPresent(this::call);
        }
    }

    private void call(HoldState.DueCall due) {
        calling = true;
        switch (due) {
            case HoldState.DueCall.ReadHolds _ ->
                time.call(READ, () -> server.nodes().get(name), found -> answered(() -> book.read(found)));
            case HoldState.DueCall.CreateHolds(NvlinkNode content) ->
                write(content, () -> server.nodes().create(name, content));
            case HoldState.DueCall.ReplaceHolds(Stored<NvlinkNode> observed, NvlinkNode content) ->
                write(content, () -> server.nodes().replace(observed, content));
        }
    }

    private void write(NvlinkNode content, Supplier<Optional<Stored<NvlinkNode>>> call) {
        book.started(content);
        binds.values().stream()
                .filter(bind -> content.holds().containsKey(bind.domain.uid()) && !bind.queued)
                .forEach(bind -> bind.calls++);
        time.call(WRITE, call, done -> answered(() -> done.ifPresentOrElse(book::written, book::refused)));
    }

    private void answered(Runnable then) {
        calling = false;
        then.run();
        step();
    }

    private void queue(Bind bind) {
        if (!bind.queued && book.heldSince(bind.domain.uid(), clique).isPresent()) {
            bind.queued = true;
            bind.number = queue.add(bind.domain, clique, answer -> answered(bind, answer));
        }
    }

    private List<ChannelEntry> ownUses() {
        return ChannelTable.uses(name, book.holds());
    }

    private void look() {
        if (looking) {
            return;
        }
        looking = true;
        time.after(
                queue.pause(time.random()::nextDouble),
                () -> queue.due().ifPresentOrElse(this::call, () -> looking = false));
    }

    private void call(BindQueue.TableCall due) {
        binds.values().stream().filter(bind -> bind.queued).forEach(bind -> bind.calls++);
        switch (due) {
            case BindQueue.TableCall.ReadTable(CliqueId in) ->
                readTable(read -> looked(() -> {
                    sight = read;
                    queue.read(in, read.table());
                }));
            case BindQueue.TableCall.ListHolds(CliqueId in) ->
                time.call(READ, () -> server.nodesOf(in), nodes -> looked(() -> queue.nodesListed(in, nodes)));
            case BindQueue.TableCall.WriteTable(Stored<NvlinkClique> observed, NvlinkClique content) ->
                time.call(
                        WRITE,
                        () -> server.tables().replace(observed, content),
                        done -> looked(() -> done.ifPresentOrElse(queue::written, () -> queue.failed(due, OVERTAKEN))));
        }
    }

    /** Reads the clique's table, and compares what is used with it. */
    private void readTable(Consumer<Sight> then) {
        ChannelConflicts.TableReading reading = conflicts.begin(clique, book.holds(), time.now());
        time.call(READ, this::see, read -> {
            var _ = conflicts.compare(
                    reading, read.table().map(table -> table.content().table()), book.holds());
            against = read.table()
                    .map(table -> table.content().table().doubleUses(name, reading.used()))
                    .orElse(against);
            then.accept(read);
        });
    }

    private Sight see() {
        return new Sight(
                server.tables().get(clique.text()),
                ownUses(),
                figures.isDamaged(clique)
                        ? server.present(clique).stream()
                                .filter(node -> !node.name().equals(name))
                                .flatMap(SimulatedNode::uses)
                                .toList()
                        : List.of());
    }

    private static Stream<ChannelEntry> uses(Stored<NvlinkNode> node) {
        return ChannelTable.uses(node.name(), node.content().holds().values()).stream();
    }

    /** While anything is used, the table is read where that is due. */
    private void compare() {
        comparing = !uses.isEmpty();
        if (!comparing) {
            return;
        }
        Duration rest = conflicts.restFor(clique, time.now());
        if (rest.isPositive()) {
            time.after(rest, this::compare);
        } else {
            readTable(read -> compare());
        }
    }

    private void looked(Runnable then) {
        looking = false;
        then.run();
        look();
    }

    private void answered(Bind bind, BindQueue.BindResult answer) {
        switch (answer) {
            case BindQueue.BindResult.BindDone(ChannelId id) -> bound(bind, id);
            case BindQueue.BindResult.BindConflicting _ -> {
                figures.refusedInConflict();
                again(bind);
            }
            case BindQueue.BindResult.BindTableFull _, BindQueue.BindResult.BindQuotaReached _ -> {
                figures.refused();
                again(bind);
            }
            case BindQueue.BindResult.BindWithoutTable _ -> again(bind);
            case BindQueue.BindResult.BindFailed(ApiFailure why) -> throw new IllegalStateException(why.message());
            case BindQueue.BindResult.BindBroken(Throwable defect) -> throw new IllegalStateException(defect);
        }
    }

    private void again(Bind bind) {
        time.after(NEXT_CALL, () -> {
            if (alive(bind)) {
                bind.queued = false;
                step();
            }
        });
    }

    private void bound(Bind bind, ChannelId id) {
        breaksNothing(bind.domain, id);
        binds.remove(bind.domain.uid());
        uses.put(bind.domain.uid(), id);
        figures.bound(clique, id, bind.domain, bind.calls, time.now() - bind.begun);
        book.want(new Hold(bind.domain, Optional.of(id)));
        callIfDue();
        if (!comparing) {
            compare();
        }
    }

    /**
     * Nothing is taken that this node uses for another ComputeDomain; and from a table that lacks what this node uses, nothing
     * that another node said, when that table was read, that it uses, and says still.
     */
    private void breaksNothing(DomainName domain, ChannelId id) {
        List<ChannelEntry> own = ownUses();
        Stream<ChannelEntry> others = sight.isDamaged(own) ? sight.others().stream() : Stream.empty();
        Stream.concat(
                        own.stream(),
                        others.filter(use -> server.nodes().present(use.by()).stream()
                                .flatMap(SimulatedNode::uses)
                                .anyMatch(use::equals)))
                .filter(use -> use.id().equals(id) && !use.domain().uid().equals(domain.uid()))
                .findFirst()
                .ifPresent(use -> {
                    throw new IllegalStateException(
                            name + " takes channel " + id + " for " + domain + ", which is in use: " + use);
                });
    }
}
