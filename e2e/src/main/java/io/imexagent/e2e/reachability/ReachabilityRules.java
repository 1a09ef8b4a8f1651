package io.imexagent.e2e.reachability;

import io.imexagent.e2e.reachability.ReachabilityMetadata.Members;
import java.io.IOException;
import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.RecordComponentInfo;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.lang.classfile.instruction.ConstantInstruction.LoadConstantInstruction;
import java.lang.constant.ClassDesc;
import java.lang.reflect.AccessFlag;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Finds what native-image cannot see by itself in the agent's jars, by rules about class files; no class is named here
 * that is the project's own. What native-image does see (constant arguments of {@code Class.forName} and the like,
 * providers of services, annotations) needs no rule.
 */
final class ReachabilityRules {

    /** The annotation of a record component that is a key of the configuration. */
    private static final String SETTING = "Lio/imexagent/core/setting/Setting;";

    private static final String JNA = "com/sun/jna/";
    private static final Pattern CLASS_NAME = Pattern.compile("[\\w$]+(\\.[\\w$]+)+");

    /** How the accessors of a message's fields begin, which protobuf's reflection looks up by name. */
    private static final Pattern ACCESSOR = Pattern.compile("(get|has|set|add|clear|remove)[A-Z0-9].*");

    private final ShippedClasses classes;
    private final ReachabilityMetadata metadata = new ReachabilityMetadata();

    /** The texts in all classes of a jar, by its name. */
    private final Map<String, Set<String>> jarTexts = new HashMap<>();

    private ReachabilityRules(ShippedClasses classes) {
        this.classes = classes;
    }

    /** The metadata of the jars in a folder. */
    static ReachabilityMetadata of(Path libraries) throws IOException {
        var rules = new ReachabilityRules(new ShippedClasses(libraries));
        rules.apply();
        return rules.metadata;
    }

    static String binaryName(ClassModel type) {
        return type.thisClass().asInternalName().replace('/', '.');
    }

    private void apply() {
        settings();
        classes.own().forEach(type -> {
            nativeTypes(type);
            messages(type);
            named(type, true);
            files(type);
        });
        classes.undescribed().forEach(type -> {
            mapped(type);
            handlers(type);
            named(type, false);
            files(type);
        });
        classes.own().forEach(this::handlers);
        classes.ownFiles().forEach(metadata::resource);
        classes.nativeLibraries().forEach(library -> new NativeNames(library).addTo(metadata, classes));
    }

    /**
     * Records that are read and made by their components: one that a class names which reads components, and those in it
     * that are no key themselves.
     */
    private void settings() {
        classes.own()
                .filter(type -> calls(type, "java/lang/Class", "getRecordComponents"))
                .flatMap(ReachabilityRules::classConstants)
                .flatMap(named -> classes.find(named).stream())
                .forEach(this::section);
    }

    private void section(ClassModel type) {
        if (type.findAttribute(Attributes.record()).isEmpty()) {
            return;
        }
        metadata.type(binaryName(type), Members.DECLARED_CONSTRUCTORS);
        components(type).forEach(component -> {
            if (isSetting(component)) {
                forms(component);
            } else {
                classes.find(name(component.descriptorSymbol()).replace('.', '/'))
                        .ifPresent(this::section);
            }
        });
    }

    /** The internal names of the classes that code of a type takes as objects. */
    private static Stream<String> classConstants(ClassModel type) {
        return type.methods().stream()
                .flatMap(method -> method.code().stream())
                .flatMap(code -> code.elementStream())
                .filter(LoadConstantInstruction.class::isInstance)
                .map(element -> ((LoadConstantInstruction) element).constantEntry())
                .filter(ClassEntry.class::isInstance)
                .map(entry -> ((ClassEntry) entry).asInternalName());
    }

    private static Stream<RecordComponentInfo> components(ClassModel type) {
        return type.findAttribute(Attributes.record()).stream().flatMap(record -> record.components().stream());
    }

    private static Stream<Annotation> annotations(RecordComponentInfo component) {
        return component.findAttribute(Attributes.runtimeVisibleAnnotations()).stream()
                .flatMap(attribute -> attribute.annotations().stream());
    }

    private static boolean isSetting(RecordComponentInfo component) {
        return annotations(component).anyMatch(one -> one.className().equalsString(SETTING));
    }

    /** Classes that an annotation of a key names are instantiated. */
    private void forms(RecordComponentInfo component) {
        annotations(component)
                .flatMap(annotation -> annotation.elements().stream())
                .flatMap(element -> element.value() instanceof AnnotationValue.OfArray array
                        ? array.values().stream()
                        : Stream.of(element.value()))
                .forEach(value -> {
                    if (value instanceof AnnotationValue.OfClass named) {
                        metadata.type(name(named.classSymbol()), Members.DECLARED_CONSTRUCTORS);
                    }
                });
    }

    private static String name(ClassDesc type) {
        return type.descriptorString().replaceAll("^L|;$", "").replace('/', '.');
    }

    /** JNA reads a structure's fields and makes instances; it calls callbacks, and libraries are proxies. */
    private void nativeTypes(ClassModel type) {
        String name = binaryName(type);
        boolean isInterface = type.flags().has(AccessFlag.INTERFACE);
        if (classes.isA(type, JNA + "Structure", JNA + "NativeMapped")) {
            metadata.type(name, Members.DECLARED_FIELDS, Members.DECLARED_CONSTRUCTORS);
        } else if (classes.isA(type, JNA + "Callback", JNA + "Library")) {
            metadata.type(name, Members.PUBLIC_METHODS, Members.PUBLIC_FIELDS);
            if (isInterface) {
                metadata.proxy(name);
            }
        }
        if (calls(type, JNA + "Native", "register")) {
            metadata.type(name, Members.DECLARED_METHODS);
            type.methods().stream()
                    .filter(method -> method.flags().has(AccessFlag.NATIVE))
                    .forEach(method -> {
                        metadata.fromNativeCode(name);
                        metadata.method(name, method.methodName().stringValue(), NativeNames.parameters(method));
                    });
        }
    }

    /** JNA makes an instance of a type of its own too where a call has such an argument: {@code PointerByReference}. */
    private void mapped(ClassModel type) {
        if (classes.isA(type, JNA + "NativeMapped")) {
            metadata.typeWhere(binaryName(type), binaryName(type), Members.DECLARED_CONSTRUCTORS);
        }
    }

    /** Fields of messages are also reached by names, as by {@code toString}. */
    private void messages(ClassModel type) {
        String name = binaryName(type);
        if (classes.isA(type, "com/google/protobuf/GeneratedMessage", "com/google/protobuf/GeneratedMessage$Builder")) {
            metadata.typeWhere(name, name);
            type.methods().stream()
                    .filter(method -> method.flags().has(AccessFlag.PUBLIC)
                            && ACCESSOR.matcher(method.methodName().stringValue())
                                    .matches()
                            && !method.flags().has(AccessFlag.SYNTHETIC))
                    .forEach(method -> metadata.methodWhere(
                            name, name, method.methodName().stringValue(), NativeNames.parameters(method)));
        } else if (classes.isA(type, "com/google/protobuf/ProtocolMessageEnum")) {
            metadata.type(name, Members.PUBLIC_METHODS);
        }
    }

    /** Netty reads the annotations of a handler's methods. */
    private void handlers(ClassModel type) {
        if (classes.isA(type, "io/netty/channel/ChannelHandler")) {
            metadata.typeWhere(binaryName(type), binaryName(type));
        }
    }

    /**
     * Classes that a class names in texts and loads: they are there where it is. native-image sees most of these itself,
     * but not where the name comes from a table, or members are looked up elsewhere. Of their public methods those count
     * whose names some class of the same jar has in a text. What HotSpot could not load from the package is left out.
     */
    private void named(ClassModel type, boolean own) {
        if (!calls(type, "java/lang/Class", "forName") && !calls(type, "java/lang/ClassLoader", "loadClass")) {
            return;
        }
        boolean proxies = own && calls(type, "java/lang/reflect/Proxy", "newProxyInstance");
        texts(type)
                .filter(text -> CLASS_NAME.matcher(text).matches())
                .map(text -> text.replace('.', '/'))
                .flatMap(name -> classes.find(name).stream())
                .filter(classes::canLoad)
                .forEach(named -> {
                    metadata.typeWhere(
                            binaryName(type), binaryName(named), Members.PUBLIC_FIELDS, Members.DECLARED_CONSTRUCTORS);
                    classes.withSupertypes(named).forEach(declaring -> methods(type, declaring));
                    if (proxies && named.flags().has(AccessFlag.INTERFACE)) {
                        metadata.proxy(binaryName(named));
                    }
                });
    }

    /** The public methods of a type that the jar of the class {@code reached} names. */
    private void methods(ClassModel reached, ClassModel type) {
        Set<String> names = jarTexts.computeIfAbsent(
                classes.jar(reached),
                jar -> classes.of(jar).flatMap(ReachabilityRules::texts).collect(Collectors.toSet()));
        type.methods().stream()
                .filter(method -> method.flags().has(AccessFlag.PUBLIC)
                        && names.contains(method.methodName().stringValue()))
                .forEach(method -> metadata.methodWhere(
                        binaryName(reached),
                        binaryName(type),
                        method.methodName().stringValue(),
                        NativeNames.parameters(method)));
    }

    /** Files in the jars that a class names and opens. */
    private void files(ClassModel type) {
        if (calls(type, "java/lang/ClassLoader", "getResourceAsStream")
                || calls(type, "java/lang/Class", "getResourceAsStream")) {
            texts(type).filter(classes::hasFile).forEach(metadata::resource);
        }
    }

    private static boolean calls(ClassModel type, String owner, String method) {
        return constants(type)
                .anyMatch(constant -> constant instanceof MemberRefEntry called
                        && called.owner().asInternalName().equals(owner)
                        && called.name().equalsString(method));
    }

    private static Stream<String> texts(ClassModel type) {
        return constants(type)
                .filter(StringEntry.class::isInstance)
                .map(constant -> ((StringEntry) constant).stringValue());
    }

    private static Stream<PoolEntry> constants(ClassModel type) {
        return StreamSupport.stream(type.constantPool().spliterator(), false);
    }
}
