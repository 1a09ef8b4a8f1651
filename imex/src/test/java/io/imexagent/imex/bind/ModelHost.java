package io.imexagent.imex.bind;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.ChannelTable.Binding;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

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
        agent.ifPresent(running -> network.send(() -> seen, running.mine(running.book::told), () -> {}));
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
        private final HoldBook book;
        private final Map<ComputeDomainUid, Bind> binds = new HashMap<>();
        private boolean calling;

        Agent() {
            book = new HoldBook(
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
            private boolean looking;
            private Optional<Long> since = Optional.empty();

            Bind(DomainName domain) {
                this.domain = domain;
            }
        }

        private boolean alive() {
            return agent.filter(running -> running == this).isPresent();
        }

        private boolean alive(Bind bind) {
            return alive() && binds.get(bind.domain.uid()) == bind;
        }

        void prepare(DomainName domain) {
            Optional<Use> known = checkpoint.stream()
                    .filter(use -> use.domain().equals(domain))
                    .findFirst();
            if (known.isPresent()) {
                if (heldSince(domain).isPresent()) {
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
        }

        void end(DomainName domain) {
            binds.remove(domain.uid());
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

        void step() {
            if (!calling) {
                book.due().ifPresent(this::call);
            }
            List.copyOf(binds.values()).forEach(this::step);
        }

        private void call(HoldBook.Call due) {
            calling = true;
            switch (due) {
                case HoldBook.Call.Read _ ->
                    network.send(() -> server.node(name), mine(book::read), () -> calling = false);
                case HoldBook.Call.Create(var content) -> {
                    book.begun(content);
                    network.send(
                            () -> server.create(name, content),
                            mine(done -> done.ifPresentOrElse(book::written, book::refused)),
                            () -> lost(book::lost));
                }
                case HoldBook.Call.Replace(Stored<NvlinkNode> observed, var content) -> {
                    book.begun(content);
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

        private void step(Bind bind) {
            Optional<Long> since = heldSince(bind.domain);
            if (bind.looking || since.isEmpty()) {
                return;
            }
            bind.looking = true;
            bind.since = since;
            CliqueId in = clique.orElseThrow();
            network.send(
                    () -> server.table(in),
                    found -> {
                        bind.looking = false;
                        if (alive(bind)) {
                            found.ifPresent(table -> look(bind, in, table));
                        }
                    },
                    () -> bind.looking = false);
        }

        private void look(Bind bind, CliqueId in, Stored<ChannelTable> table) {
            switch (table.content().bind(bind.domain, name, new ChannelTable.Limits(CHANNELS, 3))) {
                case Binding.Bound(ChannelId id) -> bound(bind, in, id);
                case Binding.Change(ChannelTable changed) -> {
                    bind.looking = true;
                    network.send(
                            () -> server.replace(in, table.version(), changed),
                            done -> {
                                bind.looking = false;
                                if (alive(bind)) {
                                    done.ifPresent(stored -> look(bind, in, stored));
                                }
                            },
                            () -> bind.looking = false);
                }
                case Binding.Full _, Binding.NamespaceFull _ -> end(bind.domain);
            }
        }

        private void bound(Bind bind, CliqueId in, ChannelId id) {
            if (clique.equals(Optional.of(in)) && heldSince(bind.domain).equals(bind.since)) {
                book.want(new Hold(bind.domain, Optional.of(id)));
                use(new Use(bind.domain, in, id));
                binds.remove(bind.domain.uid());
            }
        }
    }
}
