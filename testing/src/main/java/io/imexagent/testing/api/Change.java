package io.imexagent.testing.api;

import java.util.Optional;

/** One step of the store's history. */
sealed interface Change {
    /** The object after the step; of a removal, the object as it was, under the revision of the removal. */
    StoredObject object();

    /** An object was added or replaced. */
    record Put(StoredObject object, Optional<StoredObject> before) implements Change {}

    /** An object was removed. */
    record Removed(StoredObject object) implements Change {}
}
