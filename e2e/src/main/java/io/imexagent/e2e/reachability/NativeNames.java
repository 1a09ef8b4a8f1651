package io.imexagent.e2e.reachability;

import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The texts of a native library that look up classes and members by JNI ({@code FindClass}, {@code GetMethodID} and the
 * like): a library holds each such name and descriptor as a C string. Linkers keep one string for two where one ends with
 * the other, so every end of a string counts.
 */
final class NativeNames {

    private static final char END = '\0';

    private static final Pattern STRING = Pattern.compile("[\\w$/]*/[\\w$/]+(?=\0)");

    private final String text;

    NativeNames(byte[] library) {
        text = new String(library, StandardCharsets.ISO_8859_1);
    }

    /** Adds the types that the library names, with the members of theirs that it names. */
    void addTo(ReachabilityMetadata metadata, ShippedClasses classes) {
        for (String candidate : candidates()) {
            classes.find(candidate).ifPresent(type -> add(type, metadata));
        }
    }

    /** The ends of strings with a slash that could be names of classes. */
    private SortedSet<String> candidates() {
        SortedSet<String> found = new TreeSet<>();
        Matcher strings = STRING.matcher(text);
        while (strings.find()) {
            String string = strings.group();
            for (int start = 0; start < string.lastIndexOf('/'); start++) {
                found.add(string.substring(start));
            }
        }
        return found;
    }

    private boolean names(String string) {
        return text.contains(string + END);
    }

    private void add(ClassModel type, ReachabilityMetadata metadata) {
        String name = ReachabilityRules.binaryName(type);
        metadata.fromNativeCode(name);
        for (FieldModel field : type.fields()) {
            if (names(field.fieldName().stringValue())
                    && names(field.fieldType().stringValue())) {
                metadata.field(name, field.fieldName().stringValue());
            }
        }
        for (MethodModel method : type.methods()) {
            if (names(method.methodName().stringValue())
                    && names(method.methodType().stringValue())) {
                metadata.method(name, method.methodName().stringValue(), parameters(method));
            }
        }
    }

    static List<String> parameters(MethodModel method) {
        MethodTypeDesc descriptor = method.methodTypeSymbol();
        return descriptor.parameterList().stream().map(NativeNames::sourceName).toList();
    }

    /** The name of a type as metadata writes it: {@code int}, {@code byte[]}, {@code java.util.Map$Entry}. */
    private static String sourceName(ClassDesc type) {
        if (type.isArray()) {
            return sourceName(type.componentType()) + "[]";
        }
        return type.isPrimitive()
                ? type.displayName()
                : (type.packageName().isEmpty() ? "" : type.packageName() + ".") + type.displayName();
    }
}
