import type { Control } from './message.ts';

/** A control as the message shows it under which it is used. */
export interface ShownControl {
  /** The values that it offers, none for a button; undefined where people find others, or the platform does not say. */
  readonly offered?: readonly string[] | undefined;
  /** The values that it shows as chosen; undefined where the platform does not say. */
  readonly chosen?: readonly string[] | undefined;
  /** The fewest and the most values that are chosen with it. Default: any number. */
  readonly least?: number | undefined;
  readonly most?: number | undefined;
}

export const shownControl = (control: Control): ShownControl => {
  if (control.kind === 'button') return { offered: [] };
  if (control.kind !== 'choice')
    return {
      chosen: control.chosen,
      ...(control.single ? { least: 1, most: 1 } : { most: control.most }),
    };
  const { choices, most } = control;
  return {
    offered: choices.map(({ value }) => value),
    chosen: choices.filter(({ chosen }) => chosen).map(({ value }) => value),
    least: most === undefined ? 1 : 0,
    most: most ?? 1,
  };
};

/** True where a message offers what was chosen; an app can send anything for any message that it sees. */
export const offers = (
  control: ShownControl | undefined,
  values: readonly string[],
): control is ShownControl => {
  if (!control) return false;
  const { offered, least = 0, most = Infinity } = control;
  return (
    values.length >= least &&
    values.length <= most &&
    new Set(values).size === values.length &&
    (offered === undefined || values.every((value) => offered.includes(value)))
  );
};
