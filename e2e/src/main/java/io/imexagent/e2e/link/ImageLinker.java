package io.imexagent.e2e.link;

import io.imexagent.e2e.process.Checkout;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Makes the jars of an image ready for the class cache: the agent's own are linked, with {@link ClassLinker}, and all lose
 * their {@link LocalVariables}. Jars that are ready already stay as they are, byte for byte.
 */
public final class ImageLinker {

    private static final String OWN = "imex-agent*.jar";

    private ImageLinker() {}

    /** Makes the jars of a folder ready, and says how many classes were changed. */
    public static int link(Path libraries) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (Path jar : Checkout.files(libraries, "*.jar")) {
            urls.add(jar.toUri().toURL());
        }
        int changed = 0;
        try (var types = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
            var linker = new ClassLinker(types);
            PathMatcher own = libraries.getFileSystem().getPathMatcher("glob:" + OWN);
            for (Path jar : Checkout.files(libraries, "*.jar")) {
                boolean linked = own.matches(jar.getFileName());
                changed += rewrite(jar, file -> LocalVariables.dropped(linked ? linker.link(file) : file));
            }
        }
        return changed;
    }

    private static int rewrite(Path jar, UnaryOperator<byte[]> rewrite) throws IOException {
        int changed = 0;
        Path fresh = jar.resolveSibling(jar.getFileName() + ".new");
        try (var in = new ZipInputStream(Files.newInputStream(jar));
                var out = new ZipOutputStream(Files.newOutputStream(fresh))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                byte[] content = in.readAllBytes();
                byte[] linked = entry.getName().endsWith(".class") ? rewrite.apply(content) : content;
                changed += Arrays.equals(linked, content) ? 0 : 1;
                var copy = new ZipEntry(entry.getName());
                copy.setTimeLocal(entry.getTimeLocal());
                out.putNextEntry(copy);
                out.write(linked);
                out.closeEntry();
            }
        }
        if (changed > 0) {
            Files.move(fresh, jar, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } else {
            Files.delete(fresh);
        }
        return changed;
    }
}
