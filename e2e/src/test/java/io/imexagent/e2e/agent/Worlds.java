package io.imexagent.e2e.agent;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test that has a parameter {@link World} one of its own, closes it after the test, and prints the agents' logs
 * of a test that failed.
 */
public final class Worlds implements ParameterResolver, AfterTestExecutionCallback {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(Worlds.class);

    /** Extends the tests of a class; JUnit makes it. */
    public Worlds() {}

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
        return parameter.getParameter().getType() == World.class;
    }

    @Override
    public World resolveParameter(ParameterContext parameter, ExtensionContext test) {
        // The store closes what can be closed, when the test ends.
        return test.getStore(NAMESPACE)
                .getOrComputeIfAbsent(
                        World.class,
                        type -> {
                            try {
                                return World.open();
                            } catch (IOException e) {
                                throw new UncheckedIOException("cannot open a world", e);
                            }
                        },
                        World.class);
    }

    @Override
    public void afterTestExecution(ExtensionContext test) {
        World world = test.getStore(NAMESPACE).get(World.class, World.class);
        if (world != null && test.getExecutionException().isPresent()) {
            System.out.println(test.getDisplayName() + " failed; " + world.log());
        }
    }
}
