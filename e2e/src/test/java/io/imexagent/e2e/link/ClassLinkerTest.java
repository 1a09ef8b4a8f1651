package io.imexagent.e2e.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.imexagent.agent.config.AgentConfig;
import io.imexagent.agent.config.ConfigKeys;
import io.imexagent.agent.http.HttpSettings;
import io.imexagent.core.claim.ClaimUid;
import io.imexagent.e2e.link.LinkSamples.Everything;
import io.imexagent.e2e.link.LinkSamples.Nested;
import io.imexagent.e2e.link.LinkSamples.Nothing;
import io.imexagent.e2e.link.LinkSamples.Shape;
import io.imexagent.rdma.setting.RdmaSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The oracle is the class as javac made it, linked by the JDK. */
class ClassLinkerTest {

    private static final ClassLinker LINKER = new ClassLinker(ClassLinkerTest.class.getClassLoader());
    private static final Linked LINKED = new Linked();

    @Property
    void recordsAreEqualHashedAndPrintedAsBefore(
            @ForAll boolean flag,
            @ForAll byte small,
            @ForAll short shorter,
            @ForAll char letter,
            @ForAll int number,
            @ForAll long longer,
            @ForAll float single,
            @ForAll double twice,
            @ForAll String text) {
        Object[] values = {flag, small, shorter, letter, number, longer, single, twice, text, List.of(text)};
        var record = new Everything(flag, small, shorter, letter, number, longer, single, twice, text, List.of(text));

        Object linked = LINKED.make(Everything.class, values);

        assertThat(linked).hasToString(record.toString()).hasSameHashCodeAs(record);
        assertThat(linked).isEqualTo(LINKED.make(Everything.class, values));
        for (int place = 0; place < values.length; place++) {
            Object[] others = values.clone();
            others[place] = other(values[place]);
            assertThat(linked).isNotEqualTo(LINKED.make(Everything.class, others));
        }
    }

    private static Object other(Object value) {
        return switch (value) {
            case Boolean flag -> !flag;
            case Byte number -> (byte) (number + 1);
            case Short number -> (short) (number + 1);
            case Character letter -> (char) (letter + 1);
            case Integer number -> number + 1;
            case Long number -> number + 1;
            case Float number -> Float.intBitsToFloat(Float.floatToIntBits(number) ^ 1);
            case Double number -> Double.longBitsToDouble(Double.doubleToLongBits(number) ^ 1);
            case String text -> text + "x";
            default -> List.of();
        };
    }

    @Test
    void nullsAreEqualAndHashedAndPrintedAsBefore() {
        var record = new Nested(null, new Nothing());

        Object linked = LINKED.make(Nested.class, null, LINKED.make(Nothing.class));

        assertThat(linked).hasToString(record.toString()).hasSameHashCodeAs(record);
        assertThat(linked).isEqualTo(LINKED.make(Nested.class, null, LINKED.make(Nothing.class)));
        assertThat(linked).isNotEqualTo(LINKED.make(Nested.class, "text", LINKED.make(Nothing.class)));
        assertThat(linked).isNotEqualTo("text").isNotEqualTo(null);
    }

    @Test
    void zeroesAndNotANumberAreToldApartAsBefore() {
        assertThat(new Everything(false, (byte) 0, (short) 0, 'a', 0, 0, 0f, 0d, "", List.of()))
                .isNotEqualTo(new Everything(false, (byte) 0, (short) 0, 'a', 0, 0, -0f, 0d, "", List.of()));

        assertThat(floating(0f, 0d)).isNotEqualTo(floating(-0f, 0d)).isNotEqualTo(floating(0f, -0d));
        assertThat(floating(Float.NaN, Double.NaN)).isEqualTo(floating(Float.NaN, Double.NaN));
    }

    private static Object floating(float single, double twice) {
        return LINKED.make(Everything.class, false, (byte) 0, (short) 0, 'a', 0, 0L, single, twice, "", List.of());
    }

    @Test
    void switchesChooseAsBefore() {
        List<Object> shapes = List.of(
                new Shape.Circle(1), new Shape.Circle(20), new Shape.Square(3), "text", 7, List.of("x"), Map.of());

        for (Object shape : shapes) {
            assertThat(LINKED.describe(LINKED.copy(shape))).isEqualTo(LinkSamples.describe(shape));
        }
        assertThat(LINKED.describe(null)).isEqualTo(LinkSamples.describe(null));
    }

    @Test
    void nothingIsLeftToTheRunButWhatTheCacheKeeps() throws IOException {
        for (Class<?> sample : List.of(LinkSamples.class, Everything.class, Nested.class, Shape.Circle.class)) {
            byte[] before = bytes(sample.getName());

            String linked = new String(LINKER.link(before), java.nio.charset.StandardCharsets.ISO_8859_1);

            assertThat(linked).doesNotContain("ObjectMethods.bootstrap");
            assertThat(LINKER.link(LINKER.link(before))).isEqualTo(LINKER.link(before));
        }
    }

    /** The catalogue of keys is read from annotated components at each start, from classes that were linked. */
    @Test
    void recordsOfSettingsSayTheSameAfterwards() throws ReflectiveOperationException {
        Object keys = LINKED.loadClass(ConfigKeys.class.getName(), true)
                .getField("ALL")
                .get(null);

        assertThat(keys).hasToString(ConfigKeys.ALL.toString());
        for (Class<?> settings : List.of(RdmaSettings.class, HttpSettings.class, AgentConfig.ControllerConfig.class)) {
            assertThat(components(LINKED.loadClass(settings.getName(), true)))
                    .hasSizeGreaterThan(2)
                    .isEqualTo(components(settings));
        }
    }

    private static List<String> components(Class<?> settings) {
        return Stream.of(settings.getRecordComponents())
                .map(component -> component.getGenericType() + " " + component.getName()
                        + Arrays.toString(component.getAnnotations()))
                .toList();
    }

    @Test
    void everyClassOfTheDomainIsValidAfterwards() throws Exception {
        var loader = new Linked();
        int loaded = 0;
        for (String name : namesBeside(ClaimUid.class)) {
            Class<?> linked = Class.forName(name, true, loader);
            assertThat(linked.getClassLoader()).isSameAs(loader);
            loaded++;
        }
        assertThat(loaded).isGreaterThan(50);
    }

    private static List<String> namesBeside(Class<?> known) throws Exception {
        Path place = Path.of(
                known.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(place)) {
            try (Stream<Path> files = Files.walk(place)) {
                return names(
                        files.map(file -> place.relativize(file).toString()).toList());
            }
        }
        try (var jar = new JarFile(place.toFile())) {
            return names(jar.stream().map(entry -> entry.getName()).toList());
        }
    }

    private static List<String> names(List<String> files) {
        return files.stream()
                .filter(file -> file.endsWith(".class") && !file.contains("-info"))
                .map(file ->
                        file.substring(0, file.length() - ".class".length()).replace('/', '.'))
                .toList();
    }

    private static byte[] bytes(String name) throws IOException {
        String file = name.replace('.', '/') + ".class";
        try (InputStream in = ClassLinkerTest.class.getClassLoader().getResourceAsStream(file)) {
            if (in == null) {
                throw new IOException("no " + file);
            }
            return in.readAllBytes();
        }
    }

    /** Loads this project's classes linked, and all others as they are. */
    private static final class Linked extends ClassLoader {

        private final Map<String, Class<?>> own = new HashMap<>();

        Linked() {
            super(ClassLinkerTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.imexagent.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = own.get(name);
                if (known == null) {
                    known = define(name);
                    own.put(name, known);
                }
                return known;
            }
        }

        private Class<?> define(String name) {
            try {
                byte[] linked = LINKER.link(bytes(name));
                return defineClass(name, linked, 0, linked.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        Object make(Class<?> original, @Nullable Object... values) {
            try {
                Constructor<?> constructor = loadClass(original.getName(), true).getDeclaredConstructors()[0];
                constructor.setAccessible(true);
                return constructor.newInstance(values);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        /** The same value, of this loader's classes where it is a sample. */
        Object copy(Object value) {
            return switch (value) {
                case Shape.Circle circle -> make(Shape.Circle.class, circle.radius());
                case Shape.Square square -> make(Shape.Square.class, square.side());
                default -> value;
            };
        }

        String describe(@Nullable Object value) {
            try {
                var method = loadClass(LinkSamples.class.getName(), true).getDeclaredMethod("describe", Object.class);
                method.setAccessible(true);
                return String.valueOf(method.invoke(null, value));
            } catch (InvocationTargetException e) {
                throw new IllegalStateException(e.getCause());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
