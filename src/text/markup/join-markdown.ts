/** Zero width, and no white space: markers stay markers beside it. */
const APART = '\u200B';
const MARKS = '*_~|`';

/** Two parts of Markdown, kept from being read as one marker or one escape where they meet. */
export const joinMarkdown = (left: string, right: string): string => {
  const last = left.at(-1);
  if (last === undefined || right === '') return left + right;
  const clash = last === '\\' || (MARKS.includes(last) && last === right[0]);
  return clash ? left + APART + right : left + right;
};
