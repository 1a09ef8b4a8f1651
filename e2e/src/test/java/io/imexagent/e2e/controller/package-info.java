/** The controller against the API double. */
@NullMarked
package io.imexagent.e2e.controller;

import org.jspecify.annotations.NullMarked;
