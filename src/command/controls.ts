import type { MessageKey } from '../errors.ts';
import type { Control } from '../model/message.ts';
import type { PressContext } from './command.ts';

/** A button that does `press`, with a sentence as its label. */
export const button = (
  { label }: Pick<PressContext, 'label'>,
  press: string,
  key: MessageKey,
  look: 'plain' | 'primary' | 'danger' = 'plain',
): Control => ({
  kind: 'button',
  press,
  label: label(key),
  ...(look === 'plain' ? {} : { look }),
});

/** A button that does `press` with `off` for what is on, with `on` for what is off; its labels in that order. */
export const switchButton = (
  ctx: Pick<PressContext, 'label'>,
  press: string,
  isOn: boolean | undefined,
  [off, on]: readonly [off: MessageKey, on: MessageKey],
): Control => (isOn ? button(ctx, `${press}:off`, off) : button(ctx, `${press}:on`, on));

/** A menu of values, each with its label; of exactly one where no `most` is given. */
export const menu = <Value extends string | number>(
  press: string,
  label: string,
  {
    values,
    labelOf,
    chosen,
    most,
  }: {
    readonly values: readonly Value[];
    readonly labelOf: (value: Value) => string;
    readonly chosen: readonly (string | number)[];
    readonly most?: number | undefined;
  },
): Control => ({
  kind: 'choice',
  press,
  label,
  ...(most === undefined ? {} : { most }),
  choices: values.map((value) => ({
    value: String(value),
    label: labelOf(value),
    chosen: chosen.includes(value),
  })),
});
