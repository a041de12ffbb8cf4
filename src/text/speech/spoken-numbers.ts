/** No number in use has more digits in a row; longer ones are names of things. */
const longRun = /\d{9,}/g;
/** Nobody follows more. */
const MOST_DIGITS = 24;

/**
 * Telephone numbers: with a country's code, or in the groups of North America. Groups of one digit are
 * what this makes of them.
 */
const phone =
  /(?<![\d.,+])(?:\+\d{1,3}(?:[ ./-]?\(?\d{2,6}\)?){2,5}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4})(?![\d.,]*\d)/g;

const spelled = (digits: string): string => Array.from(digits.slice(0, MOST_DIGITS)).join(' ');

const spelledGroups = (number: string): string => {
  const groups = number.match(/\d+/g) ?? [];
  return `${number.startsWith('+') ? '+' : ''}${groups.map(spelled).join(', ')}`;
};

/** Telephone numbers and rows of over eight digits digit by digit; other numbers stay as they are. */
export const spokenNumbers = (text: string): string =>
  text.replaceAll(phone, spelledGroups).replaceAll(longRun, spelled);
