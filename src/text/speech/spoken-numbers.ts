/** Runs of digits longer than any number in use, which are identifiers. */
const longRun = /\d{9,}/g;
/** Longest run that is read: listeners cannot follow more. */
const MOST_DIGITS = 24;

/**
 * Telephone numbers: with a country code, or in the groups of North America. Groups of one digit
 * are the output of this function.
 */
const phone =
  /(?<![\d.,+])(?:\+\d{1,3}(?:[ ./-]?\(?\d{2,6}\)?){2,5}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4})(?![\d.,]*\d)/g;

const spelled = (digits: string): string => Array.from(digits.slice(0, MOST_DIGITS)).join(' ');

const spelledGroups = (number: string): string => {
  const groups = number.match(/\d+/g) ?? [];
  return `${number.startsWith('+') ? '+' : ''}${groups.map(spelled).join(', ')}`;
};

/**
 * Spaces out telephone numbers and runs of over eight digits, to be read digit by digit; other
 * numbers are kept.
 */
export const spokenNumbers = (text: string): string =>
  text.replaceAll(phone, spelledGroups).replaceAll(longRun, spelled);
