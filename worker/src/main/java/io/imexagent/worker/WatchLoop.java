package io.imexagent.worker;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A loop that keeps a value current, and calls listeners of changes on its thread. A listener must not block. */
public abstract class WatchLoop<T> extends Loop {

    private static final Logger LOG = LoggerFactory.getLogger(WatchLoop.class);

    private final String what;
    private final List<Consumer<T>> listeners = new CopyOnWriteArrayList<>();
    private volatile T current;

    /** A watch that has not started, with a thread of this name. Its value is {@code first} until it has read one. */
    protected WatchLoop(String name, String what, T first) {
        super(name, new Signal());
        this.what = what;
        this.current = first;
    }

    /** The latest value. Never blocks. */
    public T current() {
        return current;
    }

    /** Calls the listener with each changed value, in order, from now on; not with the current one. */
    public void onChange(Consumer<T> listener) {
        listeners.add(listener);
    }

    /** Sets the current value, and returns the one before. */
    protected T show(T value) {
        T before = current;
        current = value;
        return before;
    }

    /** Calls all listeners with the current value, which has changed. */
    protected void changed() {
        for (Consumer<T> listener : listeners) {
            try {
                listener.accept(current);
            } catch (RuntimeException defect) {
                LOG.error("{} listener failed", what, defect);
            }
        }
    }
}
