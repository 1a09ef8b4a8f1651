package io.imexagent.imex.bind;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.kubernetes.ApiFailure;
import io.imexagent.kubernetes.ApiFailure.FailureKind;
import io.imexagent.kubernetes.Stored;
import io.imexagent.kubernetes.clique.ChannelEntry;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.ChannelTable.DoubleUse;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A host of the model: containers with channels, a checkpoint, and an agent that may not be there. */
final class ModelHost {

    private static final int CHANNELS = 4;

    private final String name;
    private final FabricModelServer server;
    private final ModelNetwork network;
    private final Optional<CliqueId> home;
    private Optional<CliqueId> clique;

    /** What containers use, whatever the agent knows of it. */
    private final List<Use> uses = new ArrayList<>();

    private final List<Use> checkpoint = new ArrayList<>();
    private boolean broken;
    private int boots;
    private int sessions;
    private Optional<Agent> agent = Optional.empty();

    /** The channel of one container. */
    record Use(DomainName domain, CliqueId clique, ChannelId channel) {}

    ModelHost(String name, CliqueId clique, FabricModelServer server, ModelNetwork network) {
        this.name = name;
        this.home = Optional.of(clique);
        this.clique = home;
        this.server = server;
        this.network = network;
    }

    Optional<CliqueId> home() {
        return home;
    }

    String name() {
        return name;
    }

    List<Use> uses() {
        return uses;
    }

    void start() {
        if (agent.isEmpty()) {
            agent = Optional.of(new Agent());
        }
    }

    void crash() {
        agent = Optional.empty();
    }

    /** The agent finds no checkpoint that it can read, while its containers run on. */
    void breakCheckpoint() {
        crash();
        checkpoint.clear();
        broken = true;
    }

    void reboot() {
        crash();
        uses.clear();
        checkpoint.clear();
        broken = false;
        boots++;
    }

    void move(Optional<CliqueId> to) {
        clique = to;
        agent.ifPresent(running -> running.book.moved(to, OptionalInt.of(CHANNELS)));
    }

    void prepare(DomainName domain) {
        agent.ifPresent(running -> running.prepare(domain));
    }

    /** The call of a prepare gives up. */
    void giveUp(DomainName domain) {
        agent.ifPresent(running -> running.end(domain));
    }

    void unprepare(int which) {
        if (!checkpoint.isEmpty()) {
            agent.ifPresent(running -> running.unprepare(checkpoint.get(which % checkpoint.size())));
        }
    }

    void step() {
        agent.ifPresent(Agent::step);
    }

    /** The watch tells the object, be it old by now. */
    void watch() {
        Optional<Stored<NvlinkNode>> seen = server.node(name);
        agent.ifPresent(running -> network.send(() -> seen, running.mine(running.book::observed), () -> {}));
    }

    /** The agent compares what is held with the table, as it does each minute. */
    void compare() {
        agent.ifPresent(Agent::compare);
    }

    /** Whether the agent knows that this use conflicts with the table. */
    boolean reports(Use use) {
        return agent.flatMap(running -> running.conflicts.of(use.domain().uid()))
                .isPresent();
    }

    /** The clique that the node is in. */
    Optional<CliqueId> clique() {
        return clique;
    }

    /** The pods of these uses end; where there are none, or the agent does not know them, all others do by a reboot. */
    void end(Predicate<Use> which) {
        List<Use> ending = uses.stream().filter(which).toList();
        if (!broken && !ending.isEmpty() && checkpoint.containsAll(ending)) {
            agent.ifPresent(running -> ending.forEach(running::unprepare));
        } else {
            reboot();
        }
    }

    /** Whether containers may use channels of which no checkpoint knows. */
    boolean broken() {
        return broken;
    }

    /** All pods end. */
    void drain() {
        while (!checkpoint.isEmpty()) {
            unprepare(0);
        }
        agent.ifPresent(running -> List.copyOf(running.binds.values()).forEach(bind -> running.end(bind.domain)));
    }

    /** One process of the agent. */
    private final class Agent {
        private final HoldState book;
        private final BindQueue queue = new BindQueue(name, () -> new ChannelTable.Limits(CHANNELS, 3), this::ownUses);
        private final ChannelConflicts conflicts = new ChannelConflicts(name, new ChannelConflicts.ConflictListener() {
            @Override
            public void started(DoubleUse use, CliqueId clique) {}

            @Override
            public void over(DoubleUse use) {}
        });
        private final Map<ComputeDomainUid, Bind> binds = new HashMap<>();

        /** The table as it was read last, whatever was written over it, and what nodes said then that they use. */
        private ChannelTable lastRead = ChannelTable.EMPTY;

        private List<ChannelEntry> saidThen = List.of();

        /** What this host used then. */
        private List<ChannelEntry> ownThen = List.of();

        /** What the table that was compared last speaks against. */
        private List<DoubleUse> against = List.of();

        private long compared;
        private boolean calling;
        private boolean looking;

        Agent() {
            book = new HoldState(
                    name + "-" + ++sessions,
                    checkpoint.stream()
                            .map(use -> new Hold(use.domain(), Optional.of(use.channel())))
                            .toList(),
                    broken,
                    clique,
                    Optional.of(new BootId(name + boots)),
                    OptionalInt.of(CHANNELS));
        }

        private static final class Bind {
            private final DomainName domain;
            private Optional<Long> since = Optional.empty();
            private OptionalLong queued = OptionalLong.empty();

            Bind(DomainName domain) {
                this.domain = domain;
            }
        }

        private List<ChannelEntry> ownUses() {
            return ChannelTable.uses(name, book.binding());
        }

        private boolean alive() {
            return agent.filter(running -> running == this).isPresent();
        }

        void prepare(DomainName domain) {
            Optional<Use> known = checkpoint.stream()
                    .filter(use -> use.domain().equals(domain))
                    .findFirst();
            if (known.isPresent()) {
                boolean compared = clique.filter(conflicts::compared).isPresent();
                if (!compared || conflicts.of(domain.uid()).isPresent()) {
                    compare();
                } else if (heldSince(domain).isPresent()) {
                    breaksNothing(known.get());
                    use(known.get());
                }
                return;
            }
            if (!binds.containsKey(domain.uid())) {
                if (book.hold(domain.uid()).isEmpty()) {
                    book.want(new Hold(domain, Optional.empty()));
                }
                binds.put(domain.uid(), new Bind(domain));
            }
        }

        private Optional<Long> heldSince(DomainName domain) {
            return clique.flatMap(in -> book.heldSince(domain.uid(), in));
        }

        void unprepare(Use use) {
            checkpoint.remove(use);
            uses.remove(use);
            releaseUnlessUsed(use.domain());
            var _ = conflicts.follow(book.binding());
        }

        void end(DomainName domain) {
            Optional.ofNullable(binds.remove(domain.uid())).ifPresent(bind -> bind.queued.ifPresent(queue::remove));
            releaseUnlessUsed(domain);
        }

        private void releaseUnlessUsed(DomainName domain) {
            boolean used = checkpoint.stream().anyMatch(left -> left.domain().equals(domain));
            if (!used && !binds.containsKey(domain.uid())) {
                book.release(domain.uid());
            }
        }

        private void use(Use use) {
            checkpoint.add(use);
            uses.add(use);
        }

        void compare() {
            clique.ifPresent(in -> read(in, read -> {}, () -> {}));
        }

        /** Reads a table, and compares what is held with it. */
        private void read(CliqueId in, Consumer<Read> then, Runnable unknown) {
            ChannelConflicts.TableReading reading = conflicts.begin(in, book.binding(), 0);
            network.send(
                    () -> new Read(server.table(in).map(FabricModelServer::clique), said(in)),
                    read -> {
                        if (reading.number() >= compared) {
                            compared = reading.number();
                            read.table()
                                    .ifPresent(table ->
                                            against = table.content().table().doubleUses(name, reading.used()));
                        }
                        var _ = conflicts.compare(
                                reading,
                                read.table().map(table -> table.content().table()),
                                book.binding());
                        then.accept(read);
                    },
                    unknown);
        }

        private record Read(Optional<Stored<NvlinkClique>> table, List<ChannelEntry> said) {}

        private List<ChannelEntry> said(CliqueId in) {
            return server.nodesOf(in).stream()
                    .filter(node -> !node.name().equals(name))
                    .flatMap(node -> ChannelTable.uses(
                            node.name(), node.content().holds().values())
                            .stream())
                    .toList();
        }

        void step() {
            if (!calling) {
                book.due().ifPresent(this::call);
            }
            binds.values().forEach(this::queue);
            if (!looking) {
                queue.due().ifPresent(this::call);
            }
        }

        private void queue(Bind bind) {
            Optional<Long> since = heldSince(bind.domain);
            if (bind.queued.isEmpty() && since.isPresent()) {
                CliqueId in = clique.orElseThrow();
                bind.since = since;
                bind.queued = OptionalLong.of(queue.add(bind.domain, in, answer -> answered(bind, in, answer)));
            }
        }

        private void answered(Bind bind, CliqueId in, BindQueue.BindResult answer) {
            bind.queued = OptionalLong.empty();
            switch (answer) {
                case BindQueue.BindResult.BindDone(ChannelId id) -> bound(bind, in, id);
                case BindQueue.BindResult.BindConflicting _,
                        BindQueue.BindResult.BindTableFull _,
                        BindQueue.BindResult.BindQuotaReached _ -> end(bind.domain);
                case BindQueue.BindResult.BindWithoutTable _, BindQueue.BindResult.BindFailed _ -> {}
                case BindQueue.BindResult.BindBroken(Throwable defect) -> throw new AssertionError(defect);
            }
        }

        private void call(BindQueue.TableCall due) {
            looking = true;
            switch (due) {
                case BindQueue.TableCall.ReadTable(CliqueId in) ->
                    read(
                            in,
                            read -> looked(() -> {
                                lastRead = read.table()
                                        .map(table -> table.content().table())
                                        .orElse(ChannelTable.EMPTY);
                                saidThen = read.said();
                                ownThen = ownUses();
                                queue.read(in, read.table());
                            }),
                            () -> looked(() -> failed(due, FailureKind.TIMEOUT)));
                case BindQueue.TableCall.ListHolds(CliqueId in) ->
                    network.send(
                            () -> server.nodesOf(in),
                            nodes -> looked(() -> queue.nodesListed(in, nodes)),
                            () -> looked(() -> failed(due, FailureKind.TIMEOUT)));
                case BindQueue.TableCall.WriteTable(Stored<NvlinkClique> observed, NvlinkClique content) ->
                    network.send(
                            () -> server.writeEntries(observed, content),
                            done -> looked(() -> written(due, done)),
                            () -> looked(() -> failed(due, FailureKind.TIMEOUT)));
            }
        }

        private void looked(Runnable then) {
            looking = false;
            if (alive()) {
                then.run();
            }
        }

        private void written(BindQueue.TableCall call, FabricModelServer.Written outcome) {
            switch (outcome) {
                case FabricModelServer.Written.Stored(var table) -> queue.written(table);
                case FabricModelServer.Written.Overtaken _ -> failed(call, FailureKind.CONFLICT);
                case FabricModelServer.Written.Denied _ -> failed(call, FailureKind.ADMISSION);
            }
        }

        private void failed(BindQueue.TableCall call, FailureKind kind) {
            queue.failed(call, new ApiFailure(kind, kind.label(), Optional.empty()));
        }

        private void call(HoldState.DueCall due) {
            calling = true;
            switch (due) {
                case HoldState.DueCall.ReadHolds _ ->
                    network.send(() -> server.node(name), mine(book::read), () -> calling = false);
                case HoldState.DueCall.CreateHolds(var content) -> {
                    book.started(content);
                    network.send(
                            () -> server.create(name, content),
                            mine(done -> done.ifPresentOrElse(book::written, book::refused)),
                            () -> lost(book::lost));
                }
                case HoldState.DueCall.ReplaceHolds(Stored<NvlinkNode> observed, var content) -> {
                    book.started(content);
                    network.send(
                            () -> server.replace(name, observed.version(), content),
                            mine(done -> done.ifPresentOrElse(book::written, book::refused)),
                            () -> lost(book::lost));
                }
            }
        }

        private <A> Consumer<A> mine(Consumer<A> then) {
            return answer -> lost(() -> then.accept(answer));
        }

        private void lost(Runnable then) {
            calling = false;
            then.run();
        }

        /**
         * Nothing is taken that this host uses for another ComputeDomain; and from a table that is not what this host uses,
         * nothing that another node said, when that table was read, that it uses.
         */
        private void breaksNothing(DomainName domain, ChannelId id) {
            List<ChannelEntry> own = ownUses();
            boolean damaged =
                    !lastRead.covers(ownThen.stream().filter(own::contains).toList());
            Stream.concat(own.stream(), damaged ? saidThen.stream() : Stream.empty())
                    .filter(use -> use.id().equals(id) && !use.domain().uid().equals(domain.uid()))
                    .filter(use -> own.contains(use)
                            || server.node(use.by())
                                    .filter(node -> said(node, use))
                                    .isPresent())
                    .findFirst()
                    .ifPresent(use -> {
                        throw new AssertionError(
                                name + " takes channel " + id + " for " + domain + ", which is in use: " + use);
                    });
        }

        /** Of a ComputeDomain that the table as it was compared last speaks against, no further claim gets the channel. */
        private void breaksNothing(Use further) {
            against.stream()
                    .filter(use ->
                            use.user().domain().uid().equals(further.domain().uid())
                                    && use.user().id().equals(further.channel()))
                    .findFirst()
                    .ifPresent(use -> {
                        throw new AssertionError(name + " goes on with " + further + " against the table: " + use);
                    });
        }

        private static boolean said(Stored<NvlinkNode> node, ChannelEntry use) {
            return ChannelTable.uses(node.name(), node.content().holds().values())
                    .contains(use);
        }

        private void bound(Bind bind, CliqueId in, ChannelId id) {
            if (clique.equals(Optional.of(in)) && heldSince(bind.domain).equals(bind.since)) {
                breaksNothing(bind.domain, id);
                book.want(new Hold(bind.domain, Optional.of(id)));
                use(new Use(bind.domain, in, id));
                binds.remove(bind.domain.uid());
            }
        }
    }
}
