/** The controller against the API double. */
@NullMarked
package io.imexagent.testkit.controller;

import org.jspecify.annotations.NullMarked;
