package io.imexagent.e2e.process;

import io.imexagent.systemd.Receiver;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

/** The service manager's end of sd_notify: what agents have told it, in order. */
public final class ServiceManagerDouble implements AutoCloseable {

    private final Path socket;
    private final Receiver receiver;
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private final Thread reader;
    private volatile boolean closed;
    private int looked;

    private ServiceManagerDouble(Path socket) {
        this.socket = socket;
        this.receiver = new Receiver(socket.toString());
        this.reader = Thread.ofPlatform().daemon().name("service-manager").start(this::read);
    }

    /** A manager that listens on a socket in this folder. */
    public static ServiceManagerDouble listen(Path directory) {
        return new ServiceManagerDouble(directory.resolve("notify"));
    }

    /** The launch of an agent that tells this manager. */
    public AgentLaunch notified(AgentLaunch launch) {
        return launch.environment("NOTIFY_SOCKET", socket.toString());
    }

    public List<String> received() {
        return List.copyOf(messages);
    }

    /** Waits for a message after the one that was awaited last. */
    public String await(AgentProcess agent, Predicate<String> wanted) throws InterruptedException {
        return agent.await("a message to the service manager, which got " + received(), () -> next(wanted));
    }

    private synchronized Optional<String> next(Predicate<String> wanted) {
        while (looked < messages.size()) {
            String message = messages.get(looked++);
            if (wanted.test(message)) {
                return Optional.of(message);
            }
        }
        return Optional.empty();
    }

    private void read() {
        while (!closed) {
            receiver.receive().ifPresent(messages::add);
        }
        receiver.close();
    }

    @Override
    public void close() {
        closed = true;
        try {
            reader.join();
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }
}
