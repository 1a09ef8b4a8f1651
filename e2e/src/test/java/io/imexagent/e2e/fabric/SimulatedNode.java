package io.imexagent.e2e.fabric;

import io.imexagent.core.claim.ChannelId;
import io.imexagent.core.claim.ComputeDomainUid;
import io.imexagent.core.inventory.CliqueId;
import io.imexagent.core.ledger.BootId;
import io.imexagent.imex.bind.ChannelBinder;
import io.imexagent.imex.bind.HoldBook;
import io.imexagent.kubernetes.clique.ChannelTable;
import io.imexagent.kubernetes.clique.ChannelTable.Binding;
import io.imexagent.kubernetes.clique.DomainName;
import io.imexagent.kubernetes.clique.Hold;
import io.imexagent.kubernetes.clique.NvlinkClique;
import io.imexagent.kubernetes.clique.NvlinkNode;
import io.imexagent.kubernetes.clique.Stored;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * A node of the fleet: pods come, each with the first claim of its ComputeDomain on the node, and go. What it writes when
 * is the agent's own {@link HoldBook}, what it makes of a table its own {@link ChannelTable}.
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

    private final String name;
    private final CliqueId clique;
    private final Timeline time;
    private final SimulatedServer server;
    private final Figures figures;
    private final HoldBook book;
    private final Map<ComputeDomainUid, Bind> binds = new HashMap<>();
    private final Map<ComputeDomainUid, ChannelId> uses = new HashMap<>();
    private boolean calling;

    private static final class Bind {
        private final DomainName domain;
        private final long begun;
        private int calls;
        private int overtaken;
        private boolean looking;

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
        this.book = new HoldBook(
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
        binds.remove(domain.uid());
        ChannelId used = uses.remove(domain.uid());
        if (used != null) {
            figures.gaveBack(clique, used);
        }
        book.release(domain.uid());
        step();
    }

    private boolean alive(Bind bind) {
        return binds.get(bind.domain.uid()) == bind;
    }

    private void step() {
        callIfDue();
        binds.values().forEach(this::look);
    }

    private void callIfDue() {
        if (!calling) {
            book.due().ifPresent(this::call);
        }
    }

    private void call(HoldBook.Call due) {
        calling = true;
        switch (due) {
            case HoldBook.Call.Read _ ->
                time.call(READ, () -> server.nodes().get(name), found -> answered(() -> book.read(found)));
            case HoldBook.Call.Create(NvlinkNode content) ->
                write(content, () -> server.nodes().create(name, content));
            case HoldBook.Call.Replace(Stored<NvlinkNode> observed, NvlinkNode content) ->
                write(content, () -> server.nodes().replace(observed, content));
        }
    }

    private void write(NvlinkNode content, Supplier<Optional<Stored<NvlinkNode>>> call) {
        book.begun(content);
        binds.values().stream()
                .filter(bind -> content.holds().containsKey(bind.domain.uid()) && !bind.looking)
                .forEach(bind -> bind.calls++);
        time.call(WRITE, call, done -> answered(() -> done.ifPresentOrElse(book::written, book::refused)));
    }

    private void answered(Runnable then) {
        calling = false;
        then.run();
        step();
    }

    private void look(Bind bind) {
        if (bind.looking || book.heldSince(bind.domain.uid(), clique).isEmpty()) {
            return;
        }
        bind.looking = true;
        bind.calls++;
        time.call(READ, () -> server.tables().get(clique.text()), found -> {
            if (alive(bind)) {
                found.ifPresentOrElse(table -> read(bind, table), () -> again(bind, NEXT_CALL));
            }
        });
    }

    private void again(Bind bind, Duration pause) {
        time.after(pause, () -> {
            if (alive(bind)) {
                bind.looking = false;
                look(bind);
            }
        });
    }

    private void read(Bind bind, Stored<NvlinkClique> table) {
        switch (table.content().table().bind(bind.domain, name, LIMITS)) {
            case Binding.Bound(ChannelId id) -> bound(bind, id);
            case Binding.Change(ChannelTable changed) -> {
                bind.calls++;
                var content = new NvlinkClique(table.content().limit(), changed);
                time.call(WRITE, () -> server.tables().replace(table, content), done -> {
                    if (alive(bind)) {
                        done.ifPresentOrElse(written -> read(bind, written), () -> again(bind, pauseOf(bind)));
                    }
                });
            }
            case Binding.Full _, Binding.NamespaceFull _ -> {
                figures.refused();
                again(bind, NEXT_CALL);
            }
        }
    }

    private Duration pauseOf(Bind bind) {
        return ChannelBinder.OVERTAKEN.after(++bind.overtaken, time.random()::nextDouble);
    }

    private void bound(Bind bind, ChannelId id) {
        binds.remove(bind.domain.uid());
        uses.put(bind.domain.uid(), id);
        figures.bound(clique, id, bind.domain, bind.calls, time.now() - bind.begun);
        book.want(new Hold(bind.domain, Optional.of(id)));
        callIfDue();
    }
}
