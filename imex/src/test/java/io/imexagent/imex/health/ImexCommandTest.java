package io.imexagent.imex.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Every question that can be put asks, and there is no other way to run a program in this module. */
class ImexCommandTest {

    /** Verbs of systemctl and flags of nvidia-imex-ctl that only read (its help; systemctl(1)). */
    private static final Set<String> READING = Set.of("show", "-q", "-N", "-N -j");

    @Test
    void everyFactoryMakesAQuestion() throws Exception {
        List<Method> factories = Arrays.stream(ImexCommand.class.getDeclaredMethods())
                .filter(method -> method.getReturnType() == ImexCommand.class)
                .filter(method -> Modifier.isStatic(method.getModifiers())
                        && !Modifier.isPrivate(method.getModifiers())
                        && !method.isSynthetic())
                .toList();

        assertThat(factories).hasSize(5);
        for (Method factory : factories) {
            Object[] arguments = Arrays.stream(factory.getParameterTypes())
                    .map(type -> argument(type))
                    .toArray();
            assertThat(verb((ImexCommand) factory.invoke(null, arguments))).isIn(READING);
        }
    }

    @Test
    void noCommandIsMadeOtherwise() {
        assertThat(ImexCommand.class.getDeclaredConstructors())
                .extracting(Constructor::getModifiers)
                .allMatch(Modifier::isPrivate);
    }

    private static Object argument(Class<?> type) {
        if (type == ImexCommand.DaemonAddress.class) {
            return ImexCommand.DaemonAddress.bySocket(Path.of("/x"));
        }
        return type == Path.class ? Path.of("/x") : type == List.class ? List.of("unit") : "unit";
    }

    private static String verb(ImexCommand command) {
        List<String> words = List.of(command.toString().split(" ", -1));
        List<String> arguments = words.subList(1, words.size());
        return arguments.getFirst().equals("-u")
                ? String.join(" ", arguments.subList(2, arguments.size()))
                : arguments.getFirst();
    }
}
