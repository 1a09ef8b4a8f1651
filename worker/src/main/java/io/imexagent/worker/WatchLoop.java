package io.imexagent.worker;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A loop that keeps a value fresh, and tells listeners of changes on its thread; a listener must not block. */
public abstract class WatchLoop<T> extends Loop {

    private static final Logger LOG = LoggerFactory.getLogger(WatchLoop.class);

    private final String what;
    private final List<Consumer<T>> listeners = new CopyOnWriteArrayList<>();
    private volatile T current;

    /** A watch of this that has not begun, on a thread of this name; it shows the value until it has another. */
    protected WatchLoop(String name, String what, T first) {
        super(name, new Signal());
        this.what = what;
        this.current = first;
    }

    /** The latest value. Never blocks. */
    public T current() {
        return current;
    }

    /** Calls the listener with every value that tells something new, in order; with the present one not. */
    public void onChange(Consumer<T> listener) {
        listeners.add(listener);
    }

    /** Shows the value from now on; returns the one before. */
    protected T show(T value) {
        T before = current;
        current = value;
        return before;
    }

    /** Calls all listeners with the present value: it tells something new. */
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
