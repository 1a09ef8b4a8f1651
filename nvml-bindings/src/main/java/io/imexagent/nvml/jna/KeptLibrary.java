package io.imexagent.nvml.jna;

import com.sun.jna.NativeLibrary;
import io.imexagent.nvml.NvmlException;
import io.imexagent.nvml.NvmlException.LibraryNotFound;
import io.imexagent.nvml.NvmlException.LibraryNotLoadable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The driver's library as this process has loaded it, for all of its sessions. It stays loaded between sessions,
 * because each load that is initialised leaves a descriptor open when it is unloaded. It is unloaded, and loaded again,
 * if its name leads to another file and no session is open (docs/decisions/0004). Thread-safe; no call into NVML is
 * made here, so that a driver that hangs blocks no other thread.
 */
final class KeptLibrary {

    private final LibrarySearch search;
    private final Optional<TrialLoad> trial;
    private Optional<LoadedLibrary> kept = Optional.empty();
    private int sessions;

    /** Creates a library that is not loaded yet; with a {@code trial}, another process loads each file first. */
    KeptLibrary(LibrarySearch search, Optional<TrialLoad> trial) {
        this.search = search;
        this.trial = trial;
    }

    /** A loaded library, and the places that were found up to it, the library's own last. */
    private record LoadedLibrary(NvmlFunctions functions, List<LibraryFile> way) {

        boolean stands(List<LibraryFile> found) {
            return found.size() >= way.size() && found.subList(0, way.size()).equals(way);
        }
    }

    /** Returns the library for one more session, which calls {@link #giveBack} at its end. */
    synchronized NvmlFunctions take() throws NvmlException {
        if (sessions == 0) {
            renew();
        }
        NvmlFunctions functions = kept.orElseThrow().functions();
        sessions++;
        return functions;
    }

    /** Records the end of a session. */
    synchronized void giveBack() {
        sessions--;
    }

    /** Whether another library would be loaded now than the one that is loaded. */
    synchronized boolean replaced() {
        return kept.filter(loaded -> loaded.stands(search.found())).isEmpty();
    }

    private void renew() throws NvmlException {
        List<LibraryFile> found = search.found();
        if (kept.filter(loaded -> loaded.stands(found)).isPresent()) {
            return;
        }
        kept.ifPresent(loaded -> loaded.functions().unload());
        kept = Optional.empty();
        if (found.isEmpty()) {
            throw new LibraryNotFound(search.searched());
        }
        kept = Optional.of(load(found));
    }

    private LoadedLibrary load(List<LibraryFile> found) throws NvmlException {
        NativeLibrary process = process();
        List<String> reasons = new ArrayList<>();
        for (int index = 0; index < found.size(); index++) {
            LibraryFile file = found.get(index);
            if (trial.isPresent()) {
                trial.get().before(file);
            }
            try {
                return new LoadedLibrary(NvmlFunctions.open(process, file.path()), found.subList(0, index + 1));
            } catch (UnsatisfiedLinkError error) {
                // A host may also have libraries of another architecture, so the next place is tried.
                reasons.add(String.valueOf(error.getMessage()));
            }
        }
        throw new LibraryNotLoadable(reasons);
    }

    private static NativeLibrary process() throws NvmlException {
        try {
            return NativeLibrary.getProcess();
        } catch (LinkageError error) {
            throw new LibraryNotLoadable(List.of("JNA's own native library does not load (" + error.getMessage()
                    + "); point jna.boot.library.path at the directory that holds libjnidispatch.so"));
        }
    }
}
