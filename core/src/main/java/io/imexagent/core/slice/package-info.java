/** Planning of ResourceSlices: the devices to publish and the calls that get the API server there. */
@NullMarked
package io.imexagent.core.slice;

import org.jspecify.annotations.NullMarked;
