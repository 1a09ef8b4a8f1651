package io.imexagent.agent.runtime;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The signals of the process: TERM and INT end it, HUP reloads.
 *
 * <p>The JDK has no supported way to handle HUP; until it has one, its module {@code jdk.unsupported} exports {@code
 * sun.misc.Signal} (JEP 260). This class uses it by reflection, since the compiler warns of its name, and no option
 * suppresses the warning.
 */
final class Signals {

    private static final Logger LOG = LoggerFactory.getLogger(Signals.class);

    private Signals() {}

    static void handle(Runnable end, Runnable reload) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Method handle = signal.getMethod("handle", signal, handler);
            for (String name : new String[] {"TERM", "INT", "HUP"}) {
                Runnable task = name.equals("HUP") ? reload : end;
                Object before = handle.invoke(
                        null, signal.getConstructor(String.class).newInstance(name), handler(handler, task));
                if (name.equals("HUP") && handler.getField("SIG_IGN").get(null).equals(before)) {
                    LOG.warn("HUP is ignored since the start, as under nohup: the configuration cannot be reloaded");
                }
            }
        } catch (ReflectiveOperationException missing) {
            LOG.warn("signals keep their default meaning: HUP ends the agent reason=\"{}\"", missing.toString());
        }
    }

    private static Object handler(Class<?> type, Runnable task) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            if (method.getName().equals("handle")) {
                task.run();
            }
            return null;
        });
    }
}
