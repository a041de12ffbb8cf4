/** Start of a cell that a spreadsheet would evaluate as a formula; a `'` in front makes it text. */
const RUNS_IN_SPREADSHEETS = /^[=+\-@\t\r]/;

/** Makes sure that a spreadsheet shows a cell as the text that it is. */
export const disarm = (cell: string): string =>
  RUNS_IN_SPREADSHEETS.test(cell) ? `'${cell}` : cell;
