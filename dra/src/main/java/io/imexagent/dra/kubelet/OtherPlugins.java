package io.imexagent.dra.kubelet;

import io.imexagent.core.check.Condition;
import io.imexagent.dra.kubelet.RegistrySockets.Answer;
import io.imexagent.dra.kubelet.RegistrySockets.Listing;
import io.imexagent.dra.kubelet.RegistrySockets.Socket;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Other plugins of a driver that come while the agent serves: the kubelet calls the one that registered last. Each socket
 * is asked once, one that gives no answer every {@link #AGAIN} looks.
 */
final class OtherPlugins {

    private static final int AGAIN = 15;

    private static final Logger LOG = LoggerFactory.getLogger(OtherPlugins.class);

    private final String driver;
    private final RegistrySockets registry;
    private final SocketFile own;
    private final InstantSource clock;
    private Map<Socket, Answer> answers = new HashMap<>();
    private Optional<OtherPlugin> current = Optional.empty();
    private String note = "";
    private int looks;
    private volatile Condition found;

    /** Where another plugin listens, and its process, which is looked up once. */
    private record OtherPlugin(Socket socket, String process) {}

    /** None so far; {@code own} is the agent's own socket. */
    OtherPlugins(DraSettings settings, SocketFile own, InstantSource clock) {
        this.driver = settings.driver();
        this.registry = new RegistrySockets(settings.registryDirectory());
        this.own = own;
        this.clock = clock;
        this.found = none();
    }

    /** For readiness, as of the last look; under the name by which {@code imex-agent check} has it. */
    Condition condition() {
        return found;
    }

    /** Looks for them. Blocks, for {@link RegistrySockets#PATIENCE} where a new socket does not answer. */
    void look() throws InterruptedException {
        Optional<OtherPlugin> other;
        try {
            other = other().map(this::named);
        } catch (IOException unreadable) {
            LOG.debug("other plugins were not looked for reason=\"{}\"", unreadable.getMessage());
            return;
        }
        if (other.equals(current)) {
            if (other.isEmpty()) {
                found = none();
            }
            return;
        }
        current = other;
        if (other.isPresent()) {
            String reason = reason(other.get());
            found = new Condition("other-plugin", false, "since " + clock.instant() + ": " + reason);
            LOG.error("another plugin serves the same driver driver={} reason=\"{}\"", driver, reason);
        } else {
            found = none();
            LOG.info("no other plugin serves the driver any more driver={}", driver);
        }
    }

    private OtherPlugin named(Socket socket) {
        return current.filter(known -> known.socket().equals(socket))
                .orElseGet(() -> new OtherPlugin(socket, process(socket.path())));
    }

    private String reason(OtherPlugin other) {
        return other.process() + " listens on " + other.socket().path() + " as a plugin of " + driver
                + ", and the kubelet calls the one that registered last; stop that process";
    }

    private Condition none() {
        return new Condition("other-plugin", true, "no other plugin of " + driver + " registers here" + note);
    }

    private Optional<Socket> other() throws IOException, InterruptedException {
        Optional<Object> mine = own.identity();
        Listing listing = registry.list(driver);
        note = listing.note();
        List<Socket> sockets = listing.sockets().stream()
                .filter(socket -> !mine.equals(Optional.of(socket.identity())))
                .toList();
        boolean again = looks++ % AGAIN == 0;
        Map<Socket, Answer> given = RegistrySockets.ask(sockets.stream()
                .filter(socket -> isUnknown(answers.get(socket), again))
                .toList());
        var known = new HashMap<Socket, Answer>();
        Optional<Socket> other = Optional.empty();
        for (Socket socket : sockets) {
            Answer answer = given.getOrDefault(socket, answers.get(socket));
            if (answer != null) {
                known.put(socket, answer);
                if (other.isEmpty() && answer.isOf(driver, socket) && mayListen(socket.path())) {
                    other = Optional.of(socket);
                }
            }
        }
        answers = known;
        return other;
    }

    /** A socket that cannot be examined, such as one whose queue is full, counts, and hides no other. */
    private static boolean mayListen(Path socket) {
        try {
            return SocketFile.listening(socket);
        } catch (IOException cannotTell) {
            LOG.debug("a socket counts as listening path={} reason=\"{}\"", socket, cannotTell.getMessage());
            return true;
        }
    }

    private static boolean isUnknown(@Nullable Answer answer, boolean again) {
        return switch (answer) {
            case null -> true;
            case Answer.OfDriver _, Answer.OfOtherKind _ -> false;
            case Answer.NoAnswer _, Answer.ClosedSocket _ -> again;
        };
    }

    private static String process(Path socket) {
        try {
            int pid = SocketPeer.pid(socket);
            return pid == 0 ? "a process that cannot be seen from here" : "process " + pid;
        } catch (IOException hungUp) {
            return "a process";
        }
    }
}
