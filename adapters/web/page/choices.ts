import type { Choice } from '../../../src/model/command-info.ts';

/** Longer values are ids that say nothing to people. */
const MAX_TELLING_CHARS = 16;

/** A value to be shown beside its label, where it says something more. */
export const telling = (value: string, label: string): string =>
  value === label || value.length > MAX_TELLING_CHARS ? '' : value;

/** True when a choice may be meant by what was typed. */
export const matchesTyped = ({ value, label }: Choice, typed: string): boolean => {
  const wanted = typed.toLowerCase();
  return value.toLowerCase().includes(wanted) || label.toLowerCase().includes(wanted);
};

/** The index of the choice that somebody who typed exactly this means, else of the first. */
export const bestFit = (choices: readonly Choice[], typed: string): number => {
  const wanted = typed.trim().toLowerCase();
  const exact = choices.findIndex(
    ({ value, label }) => value.toLowerCase() === wanted || label.toLowerCase() === wanted,
  );
  return Math.max(0, exact);
};
