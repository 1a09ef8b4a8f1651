package io.imexagent.e2e.link;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Class files without the names and types of local variables, which only debuggers read. Files and lines, which stack
 * traces show, stay, and so do all offsets. Format: JVMS, chapter 4.
 */
final class LocalVariables {

    private static final Set<String> DROPPED = Set.of("LocalVariableTable", "LocalVariableTypeTable");

    private final Map<Integer, String> texts = new HashMap<>();

    private LocalVariables() {}

    /** The class file without them. */
    static byte[] dropped(byte[] file) throws IOException {
        var bytes = new ByteArrayOutputStream(file.length);
        try (var in = new DataInputStream(new ByteArrayInputStream(file));
                var out = new DataOutputStream(bytes)) {
            new LocalVariables().copyClass(in, out);
        }
        return bytes.toByteArray();
    }

    private void copyClass(DataInputStream in, DataOutputStream out) throws IOException {
        copy(in, out, 8);
        copyConstants(in, out);
        copy(in, out, 6);
        copy(in, out, 2 * copyCount(in, out));
        copyMembers(in, out);
        copyMembers(in, out);
        copyAttributes(in, out);
    }

    /** Fields, and in the same form methods. */
    private void copyMembers(DataInputStream in, DataOutputStream out) throws IOException {
        for (int left = copyCount(in, out); left > 0; left--) {
            copy(in, out, 6);
            copyAttributes(in, out);
        }
    }

    private void copyConstants(DataInputStream in, DataOutputStream out) throws IOException {
        int count = copyCount(in, out);
        for (int index = 1; index < count; index++) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            switch (tag) {
                case 1 -> {
                    String text = in.readUTF();
                    texts.put(index, text);
                    out.writeUTF(text);
                }
                case 5, 6 -> {
                    copy(in, out, 8);
                    // Whole numbers and fractions of eight bytes take two places.
                    index++;
                }
                case 7, 8, 16, 19, 20 -> copy(in, out, 2);
                case 15 -> copy(in, out, 3);
                case 3, 4, 9, 10, 11, 12, 17, 18 -> copy(in, out, 4);
                default -> throw new IOException("a constant of a class file has the unknown tag " + tag);
            }
        }
    }

    private void copyAttributes(DataInputStream in, DataOutputStream out) throws IOException {
        var kept = new ByteArrayOutputStream();
        int count = 0;
        try (var attributes = new DataOutputStream(kept)) {
            for (int left = in.readUnsignedShort(); left > 0; left--) {
                int name = in.readUnsignedShort();
                byte[] content = bytes(in, in.readInt());
                String text = texts.getOrDefault(name, "");
                if (!DROPPED.contains(text)) {
                    byte[] copy = text.equals("Code") ? code(content) : content;
                    attributes.writeShort(name);
                    attributes.writeInt(copy.length);
                    attributes.write(copy);
                    count++;
                }
            }
        }
        out.writeShort(count);
        out.write(kept.toByteArray());
    }

    private byte[] code(byte[] content) throws IOException {
        var bytes = new ByteArrayOutputStream(content.length);
        try (var in = new DataInputStream(new ByteArrayInputStream(content));
                var out = new DataOutputStream(bytes)) {
            copy(in, out, 4);
            int length = in.readInt();
            out.writeInt(length);
            copy(in, out, length);
            copy(in, out, 8 * copyCount(in, out));
            copyAttributes(in, out);
        }
        return bytes.toByteArray();
    }

    private static byte[] bytes(DataInputStream in, int length) throws IOException {
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }

    private static int copyCount(DataInputStream in, DataOutputStream out) throws IOException {
        int count = in.readUnsignedShort();
        out.writeShort(count);
        return count;
    }

    private static void copy(DataInputStream in, DataOutputStream out, int length) throws IOException {
        out.write(bytes(in, length));
    }
}
