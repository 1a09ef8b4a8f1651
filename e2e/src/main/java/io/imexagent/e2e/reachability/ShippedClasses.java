package io.imexagent.e2e.reachability;

import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The contents of the agent's jars: classes by their internal names, and all other files by their paths. Classes of the
 * JDK are read from the running one.
 */
final class ShippedClasses {

    private static final String CLASS = ".class";

    /** Packages of the JDK that the runtime of the HotSpot package lacks (packaging/rpm/stage). */
    private static final Pattern ABSENT =
            Pattern.compile("(java/awt|java/beans|java/sql|javax/sql|javax/xml|org/w3c)/.*");

    /** The project's own jars; all others are libraries. */
    private static final String OWN = "imex-agent";

    /** JNA's and jffi's native parts lie in folders by platform, Netty's have it in their names. */
    private static final Pattern NATIVE =
            Pattern.compile("((linux-(x86-64|aarch64)|(x86_64|aarch64)-Linux)/.*|_(x86_64|aarch_64))\\.so$");

    private final Map<String, ClassModel> models = new HashMap<>();
    private final SortedMap<String, byte[]> shipped = new TreeMap<>();
    private final SortedMap<String, byte[]> files = new TreeMap<>();
    private final Map<String, String> jars = new HashMap<>();
    private final Set<String> described = new LinkedHashSet<>();

    /** Reads the jars of a folder. */
    ShippedClasses(Path libraries) throws IOException {
        List<Path> all = Checkout.files(libraries, "*.jar");
        if (all.isEmpty()) {
            throw new IOException("there is no jar in " + libraries + "; run: make build");
        }
        for (Path jar : all) {
            read(jar);
        }
    }

    private void read(Path jar) throws IOException {
        String name = jar.getFileName().toString();
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : zip.stream().filter(one -> !one.isDirectory()).toList()) {
                String path = entry.getName();
                try (InputStream in = zip.getInputStream(entry)) {
                    // Classes for certain JDKs replace others of the same name, with the same members.
                    if (path.endsWith(CLASS) && !path.startsWith("META-INF/")) {
                        shipped.put(path.substring(0, path.length() - CLASS.length()), in.readAllBytes());
                    } else {
                        files.put(path, in.readAllBytes());
                    }
                }
                jars.put(path, name);
                if (path.startsWith("META-INF/native-image/") && path.endsWith("-config.json")) {
                    described.add(name);
                }
            }
        }
    }

    /** The internal names of all classes in the jars. */
    Collection<String> names() {
        return shipped.keySet();
    }

    /** The project's own classes. */
    Stream<ClassModel> own() {
        return names().stream().filter(this::isOwn).map(this::shipped);
    }

    /** The classes of libraries whose jars have no metadata of their own. */
    Stream<ClassModel> undescribed() {
        return names().stream()
                .filter(name -> !isOwn(name) && !described.contains(jar(name + CLASS)))
                .map(this::shipped);
    }

    private boolean isOwn(String name) {
        return jar(name + CLASS).startsWith(OWN);
    }

    /** The name of the jar that has a class. */
    String jar(ClassModel type) {
        return jar(type.thisClass().asInternalName() + CLASS);
    }

    /** The classes of the jar of this name. */
    Stream<ClassModel> of(String jar) {
        return names().stream().filter(name -> jar(name + CLASS).equals(jar)).map(this::shipped);
    }

    private String jar(String path) {
        return Optional.ofNullable(jars.get(path)).orElseThrow();
    }

    /** The files of the project's own jars that are no classes, without what Maven writes. */
    List<String> ownFiles() {
        return files.keySet().stream()
                .filter(path -> jar(path).startsWith(OWN) && !path.startsWith("META-INF/"))
                .toList();
    }

    boolean hasFile(String path) {
        return files.containsKey(path);
    }

    /** The native libraries for Linux on either architecture. */
    List<byte[]> nativeLibraries() {
        return files.entrySet().stream()
                .filter(file -> NATIVE.matcher(file.getKey()).find())
                .map(Map.Entry::getValue)
                .toList();
    }

    private ClassModel shipped(String name) {
        return find(name).orElseThrow();
    }

    /** A class of the jars or of the JDK, by its internal name. */
    Optional<ClassModel> find(String name) {
        Optional<ClassModel> known = Optional.ofNullable(models.get(name));
        if (known.isEmpty()) {
            known = Optional.ofNullable(shipped.get(name))
                    .or(() -> ofJdk(name))
                    .map(bytes -> ClassFile.of().parse(bytes));
            known.ifPresent(model -> models.put(name, model));
        }
        return known;
    }

    private static Optional<byte[]> ofJdk(String name) {
        try (InputStream in = ClassLoader.getPlatformClassLoader().getResourceAsStream(name + CLASS)) {
            return in == null ? Optional.empty() : Optional.of(in.readAllBytes());
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Whether a class refers to nothing of the JDK that the package's runtime leaves out: XML, AWT and SQL. */
    boolean canLoad(ClassModel type) {
        return StreamSupport.stream(type.constantPool().spliterator(), false)
                .noneMatch(constant -> constant instanceof ClassEntry named
                        && ABSENT.matcher(named.asInternalName()).matches());
    }

    /** A class, and its supertypes as far as they are found. */
    Stream<ClassModel> withSupertypes(ClassModel type) {
        Set<String> above = new LinkedHashSet<>();
        collectSupertypes(type, above);
        return Stream.concat(Stream.of(type), above.stream().flatMap(name -> find(name).stream()));
    }

    /** Whether a class is a subtype of one of the named types, directly or through others. */
    boolean isA(ClassModel type, String... supertypes) {
        Set<String> seen = new LinkedHashSet<>();
        collectSupertypes(type, seen);
        return Stream.of(supertypes).anyMatch(seen::contains);
    }

    private void collectSupertypes(ClassModel type, Set<String> seen) {
        Stream.concat(type.superclass().stream(), type.interfaces().stream())
                .map(ClassEntry::asInternalName)
                .filter(seen::add)
                .forEach(name -> find(name).ifPresent(above -> collectSupertypes(above, seen)));
    }
}
