package io.imexagent.imex.probe;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/** Reads the attributes of a file that may be a device node, with {@code lstat}, which follows no link. */
public interface DeviceStat {

    DeviceStat OF_FILES = path -> {
        Map<String, Object> found = Files.readAttributes(path, "unix:mode,rdev", LinkOption.NOFOLLOW_LINKS);
        if (found.get("mode") instanceof Integer mode && found.get("rdev") instanceof Long device) {
            return new Attributes(mode, device);
        }
        throw new IOException("the file system gives neither mode nor device");
    };

    Attributes of(Path path) throws IOException;

    /** The attributes of a file by {@code stat}: {@code st_mode}, type and permissions, and {@code st_rdev}. */
    record Attributes(int mode, long device) {

        private static final int FILE_TYPE = 0170000;
        private static final int CHARACTER_DEVICE = 0020000;

        boolean isCharacterDevice() {
            return (mode & FILE_TYPE) == CHARACTER_DEVICE;
        }

        int permissions() {
            return mode & 0777;
        }

        /** The major in {@code dev_t}, by glibc's {@code sys/sysmacros.h}. */
        int major() {
            return (int) (((device >>> 8) & 0xfff) | ((device >>> 32) & 0xfffff000L));
        }

        int minor() {
            return (int) ((device & 0xff) | ((device >>> 12) & 0xffffff00L));
        }
    }
}
