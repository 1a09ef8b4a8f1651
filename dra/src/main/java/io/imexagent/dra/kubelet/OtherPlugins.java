package io.imexagent.dra.kubelet;

import io.imexagent.core.check.Condition;
import io.imexagent.dra.kubelet.RegistrySockets.Listing;
import io.imexagent.dra.kubelet.RegistrySockets.Socket;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Other plugins of a driver that come while the agent serves: the kubelet calls the one that registered last. A socket
 * that gives no answer is queried every {@link #AGAIN} looks.
 */
final class OtherPlugins {

    private static final int AGAIN = 15;

    private static final Logger LOG = LoggerFactory.getLogger(OtherPlugins.class);

    private final String driver;
    private final RegistrySockets registry;
    private final SocketFile own;
    private final InstantSource clock;
    private Optional<OtherPlugin> current = Optional.empty();
    private String note = "";
    private int looks;
    private volatile Condition found;

    /** Where another plugin listens, and its process, which is looked up once. */
    private record OtherPlugin(Socket socket, String process) {}

    /** Starts without any other plugin; {@code own} is the agent's own socket. */
    OtherPlugins(String driver, RegistrySockets registry, SocketFile own, InstantSource clock) {
        this.driver = driver;
        this.registry = registry;
        this.own = own;
        this.clock = clock;
        this.found = none();
    }

    /** For readiness, as of the last look; under the name by which {@code imex-agent check} has it. */
    Condition condition() {
        return found;
    }

    /** Looks for them. Blocks, for some seconds at most. */
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
        Listing listing = registry.list(driver);
        note = listing.note();
        return registry.plugin(driver, listing, own.identity(), looks++ % AGAIN == 0);
    }

    private static String process(Path socket) {
        try {
            return SocketPeer.of(socket).text();
        } catch (IOException hungUp) {
            return "a process";
        }
    }
}
