package io.imexagent.e2e.reachability;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.GeneratedMessage;
import com.sun.jna.Callback;
import com.sun.jna.Library;
import com.sun.jna.Pointer;
import com.sun.jna.Structure;
import com.sun.jna.Structure.FieldOrder;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What the shipped classes reach by reflection and from native code has an entry for native-image. The test finds it in
 * another way than the rules that make the entries: the classes are loaded, and are what reflection says; calls are
 * those that ArchUnit sees.
 */
class ReachabilityTest {

    private static final Path JARS = Checkout.find().image().resolve("lib");

    /**
     * All places in the project's own code that reach something by its name or by reflection. A new one needs an entry:
     * a rule of ReachabilityRules that makes it, and a line here with the reason why it is enough.
     */
    private static final Map<String, String> KNOWN = Map.of(
            "io.imexagent.agent.config.ConfigKey", "constructors of classes that @Value names (forms)",
            "io.imexagent.agent.config.ConfigKeys", "components of AgentConfig and the records in it (settings)",
            "io.imexagent.agent.config.ConfigValues", "constructors of the same records (settings)",
            "io.imexagent.agent.runtime.Signals", "two classes of the JDK, by their names (named)",
            "io.imexagent.controller.manifests.Manifests$Manifest", "files of the own jars (resources)",
            "io.imexagent.controller.racks.RacksPage", "files of the own jars (resources)",
            "io.imexagent.fabric.run.RunManifest", "files of the own jars (resources)");

    /** What finds classes, members or files by name; JNA's and jnr-ffi's bindings are made by reflection too. */
    private static final Map<String, Set<String>> REFLECTIVE = Map.of(
            "java.lang.Class",
                    Set.of(
                            "forName",
                            "getConstructor",
                            "getConstructors",
                            "getDeclaredConstructor",
                            "getDeclaredConstructors",
                            "getDeclaredField",
                            "getDeclaredFields",
                            "getDeclaredMethod",
                            "getDeclaredMethods",
                            "getField",
                            "getFields",
                            "getMethod",
                            "getMethods",
                            "getPermittedSubclasses",
                            "getRecordComponents",
                            "getResource",
                            "getResourceAsStream",
                            "newInstance"),
            "java.lang.ClassLoader", Set.of("getResource", "getResourceAsStream", "getResources", "loadClass"),
            "java.lang.reflect.Proxy", Set.of("newProxyInstance"),
            "java.lang.invoke.MethodHandles$Lookup",
                    Set.of("findConstructor", "findGetter", "findSpecial", "findStatic", "findVirtual", "unreflect"),
            "java.lang.foreign.Linker", Set.of("downcallHandle", "upcallStub"),
            "java.io.ObjectInputStream", Set.of("readObject"),
            "java.util.ResourceBundle", Set.of("getBundle"),
            "com.fasterxml.jackson.databind.ObjectMapper", Set.of("convertValue", "readValue", "treeToValue"),
            "com.sun.jna.Native", Set.of("load", "loadLibrary", "register"),
            "picocli.CommandLine$Model$CommandSpec", Set.of("forAnnotatedObject"));

    private static JsonNode document;
    private static URLClassLoader loader;
    private static List<Class<?>> own;

    @BeforeAll
    static void readWhatShips() throws Exception {
        document = ReachabilityFolder.document(JARS);
        List<URL> urls = new ArrayList<>();
        for (Path jar : Checkout.files(JARS, "*.jar")) {
            urls.add(jar.toUri().toURL());
        }
        loader = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        own = new ArrayList<>();
        for (String name :
                ownEntries().filter(entry -> entry.endsWith(".class")).toList()) {
            own.add(Class.forName(className(name), false, loader));
        }
    }

    @AfterAll
    static void close() throws IOException {
        loader.close();
    }

    @Test
    void everyClassThatIsReachedByReflectionHasAnEntry() throws Exception {
        assertThat(own).hasSizeGreaterThan(500);
        assertThat(missing(own, loader)).isEmpty();
    }

    @Test
    void aClassWithoutAnEntryIsNamed() throws Exception {
        assertThat(missing(List.of(SampleStruct.class, SampleCallback.class), ReachabilityTest.class.getClassLoader()))
                .containsExactlyInAnyOrder(
                        SampleStruct.class.getName() + " lacks allDeclaredFields",
                        SampleStruct.class.getName() + " lacks allDeclaredConstructors",
                        SampleCallback.class.getName() + " lacks allPublicMethods",
                        SampleCallback.class.getName() + " lacks its proxy");
    }

    @Test
    void recordsOfTheConfigurationAreMadeByTheirComponents() throws Exception {
        Set<Class<?>> records = new LinkedHashSet<>();
        collect(Class.forName("io.imexagent.agent.config.AgentConfig", false, loader), records);

        assertThat(records).hasSizeGreaterThan(8);
        assertThat(records)
                .allSatisfy(record -> assertThat(has(record.getName(), "allDeclaredConstructors"))
                        .as(record.getName())
                        .isTrue());
    }

    @Test
    void everyFileInTheOwnJarsIsInTheImage() throws Exception {
        List<String> files = ownEntries()
                .filter(entry -> !entry.endsWith(".class") && !entry.endsWith("/") && !entry.startsWith("META-INF/"))
                .toList();

        assertThat(files).anyMatch(file -> file.endsWith("racks.html"));
        assertThat(document.path("resources").findValuesAsText("glob")).containsAll(files);
    }

    @Test
    void nothingIsReachedByNameAtAPlaceThatIsNotKnown() throws Exception {
        List<JarFile> jars = new ArrayList<>();
        for (Path jar : Checkout.files(JARS, "imex-agent*.jar")) {
            jars.add(new JarFile(jar.toFile()));
        }

        Map<String, Set<String>> places = places(new ClassFileImporter().importJars(jars));

        assertThat(places).as("places that need a rule in ReachabilityRules").containsOnlyKeys(KNOWN.keySet());
    }

    @Test
    void aNewPlaceIsFound() {
        assertThat(places(new ClassFileImporter().importClasses(SamplePlace.class)))
                .containsOnly(Map.entry(SamplePlace.class.getName(), Set.of("forName", "getResourceAsStream")));
    }

    @Test
    void whatNativeLibrariesLookUpIsAccessibleFromThem() {
        assertThat(fromNativeCode("com.sun.jna.Pointer", "fields")).contains("peer");
        assertThat(fromNativeCode("com.sun.jna.CallbackReference", "methods")).contains("getFunctionPointer");
        assertThat(fromNativeCode("com.sun.jna.Structure", "methods")).contains("newInstance", "autoRead");
        assertThat(fromNativeCode("java.lang.Integer", "methods")).contains("<init>");
        assertThat(fromNativeCode("io.netty.channel.unix.FileDescriptor", "fields"))
                .contains("fd");
    }

    @Test
    void jnaMakesItsOwnKindsOfArguments() throws IOException {
        List<String> mapped = new ArrayList<>();
        try (JarFile jar =
                new JarFile(Checkout.files(JARS, "jna-*.jar").getFirst().toFile())) {
            jar.stream()
                    .map(JarEntry::getName)
                    .filter(name -> name.matches("com/sun/jna/ptr/\\w+ByReference[.]class"))
                    .forEach(name -> mapped.add(className(name)));
        }

        assertThat(mapped).contains("com.sun.jna.ptr.PointerByReference");
        assertThat(mapped)
                .allSatisfy(type -> assertThat(entries())
                        .anyMatch(entry -> isOf(entry, type)
                                && entry.path("allDeclaredConstructors").asBoolean()));
    }

    @Test
    void whatALibraryNamesInATextIsThereWhereTheLibraryIs() {
        assertThat(entries().filter(entry -> isOf(entry, "io.netty.channel.epoll.Epoll")))
                .anySatisfy(entry -> {
                    assertThat(entry.path("condition").path("typeReached").asText())
                            .isEqualTo("io.grpc.netty.Utils");
                    assertThat(entry.path("methods").findValuesAsText("name"))
                            .as("methods that gRPC names")
                            .containsExactly("isAvailable", "unavailabilityCause");
                });
        assertThat(entries().map(entry -> entry.path("type").asText()))
                .as("what the package's runtime lacks")
                .noneMatch(type -> type.matches("(java\\.sql|java\\.awt|javax\\.xml|.*\\.ext\\.DOM).*"));
    }

    /** What classes need and the document lacks. */
    private static List<String> missing(List<Class<?>> classes, ClassLoader types) throws ClassNotFoundException {
        Class<?> structure = type(types, Structure.class);
        Class<?> callback = type(types, Callback.class);
        Class<?> library = type(types, Library.class);
        Class<?> message = type(types, GeneratedMessage.class);
        Class<?> builder = Class.forName(GeneratedMessage.Builder.class.getName(), false, types);
        List<String> missing = new ArrayList<>();
        for (Class<?> type : classes) {
            if (structure.isAssignableFrom(type)) {
                demand(type, missing, "allDeclaredFields", "allDeclaredConstructors");
            }
            if (type.isInterface() && (callback.isAssignableFrom(type) || library.isAssignableFrom(type))) {
                demand(type, missing, "allPublicMethods");
                if (entries()
                        .noneMatch(entry -> entry.path("type")
                                .path("proxy")
                                .path(0)
                                .asText()
                                .equals(type.getName()))) {
                    missing.add(type.getName() + " lacks its proxy");
                }
            }
            if (message.isAssignableFrom(type) || builder.isAssignableFrom(type)) {
                accessors(type)
                        .filter(name -> entries()
                                .noneMatch(entry -> isOf(entry, type.getName())
                                        && entry.path("methods")
                                                .findValuesAsText("name")
                                                .contains(name)))
                        .forEach(name -> missing.add(type.getName() + " lacks " + name));
            }
        }
        return missing;
    }

    private static Class<?> type(ClassLoader types, Class<?> type) throws ClassNotFoundException {
        return Class.forName(type.getName(), false, types);
    }

    /** The accessors of a message's fields: for each getter of a builder, what protobuf looks up beside it. */
    private static Stream<String> accessors(Class<?> type) {
        return Stream.of(type.getDeclaredMethods())
                .map(java.lang.reflect.Method::getName)
                .filter(name -> name.matches("(get|set|clear|has)[A-Z].*") && !name.contains("Descriptor"))
                .distinct();
    }

    private static void demand(Class<?> type, List<String> missing, String... properties) {
        for (String property : properties) {
            if (!has(type.getName(), property)) {
                missing.add(type.getName() + " lacks " + property);
            }
        }
    }

    /** The sections of the configuration below a record: components that are records and have no annotation. */
    private static void collect(Class<?> record, Set<Class<?>> records) {
        records.add(record);
        for (RecordComponent component : record.getRecordComponents()) {
            if (component.getType().isRecord() && component.getAnnotations().length == 0) {
                collect(component.getType(), records);
            }
        }
    }

    private static Map<String, Set<String>> places(JavaClasses classes) {
        Map<String, Set<String>> places = new TreeMap<>();
        classes.stream()
                .flatMap(type -> type.getMethodCallsFromSelf().stream())
                .filter(call -> REFLECTIVE
                        .getOrDefault(call.getTargetOwner().getName(), Set.of())
                        .contains(call.getName()))
                .forEach(call -> places.computeIfAbsent(call.getOriginOwner().getName(), first -> new TreeSet<>())
                        .add(call.getName()));
        return places;
    }

    private static Stream<JsonNode> entries() {
        return StreamSupport.stream(document.path("reflection").spliterator(), false);
    }

    private static boolean isOf(JsonNode entry, String type) {
        return entry.path("type").asText().equals(type);
    }

    /** Whether a type has a property in an entry without a condition. */
    private static boolean has(String type, String property) {
        return entries()
                .anyMatch(entry -> isOf(entry, type)
                        && entry.path("condition").isMissingNode()
                        && entry.path(property).asBoolean());
    }

    private static List<String> fromNativeCode(String type, String members) {
        return entries()
                .filter(entry ->
                        isOf(entry, type) && entry.path("jniAccessible").asBoolean())
                .flatMap(entry -> entry.path(members).findValuesAsText("name").stream())
                .toList();
    }

    /** The name of the class in this entry of a jar. */
    private static String className(String entry) {
        return entry.replace('/', '.').substring(0, entry.length() - ".class".length());
    }

    private static Stream<String> ownEntries() throws IOException {
        List<String> entries = new ArrayList<>();
        for (Path jar : Checkout.files(JARS, "imex-agent*.jar")) {
            try (JarFile file = new JarFile(jar.toFile())) {
                file.stream().forEach(entry -> entries.add(entry.getName()));
            }
        }
        return entries.stream();
    }

    /** A structure of which no jar knows. */
    @FieldOrder("number")
    public static final class SampleStruct extends Structure {
        public int number;

        public SampleStruct(Pointer memory) {
            super(memory);
        }
    }

    /** A callback of which no jar knows. */
    public interface SampleCallback extends Callback {
        void invoke(int number);
    }

    /** Reaches a class and a file by their names. */
    static final class SamplePlace {
        private SamplePlace() {}

        static Type byName(String name) throws ClassNotFoundException {
            assertThat(SamplePlace.class.getResourceAsStream(name)).isNull();
            return Class.forName(name);
        }
    }
}
