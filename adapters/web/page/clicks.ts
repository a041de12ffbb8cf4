/** The part of a `MouseEvent` that is needed here; `detail` counts quick clicks, and is 0 for a key. */
interface Click {
  readonly detail: number;
  preventDefault(): void;
}

/** The label of the button on which the newest series of quick clicks began. */
let firstLabel: string | undefined;

/**
 * Creates the listener for clicks on a button. It ignores the second click of a double click whose
 * first one fell on another button, in the same place; quick clicks on "Next" all count.
 *
 * @param run default: nothing more than the browser does by itself, e.g. submits a form
 */
export const clickOn =
  <Clicked extends Click>(label: string, run?: (click: Clicked) => unknown) =>
  (click: Clicked): void => {
    if (click.detail <= 1) firstLabel = label;
    if (label === firstLabel) void run?.(click);
    else click.preventDefault();
  };
