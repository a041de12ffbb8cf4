import type { PressContext } from '../../src/command/command.ts';
import { languageLabel, menu, offeredLanguages, typedCode } from '../../src/command/helpers.ts';
import { userError, type MessageKey } from '../../src/errors.ts';
import type { Control } from '../../src/model/message.ts';
import type { Channel } from '../../src/model/place.ts';
import type { Context } from './context.ts';

/** The part of a press's context that the pages of the panel use. */
export type PanelContext = Context & Pick<PressContext, 'capabilities'>;

/** The channel of the space that a control is about. */
export const channelNamed = ({ channel: { space } }: PanelContext, id: string): Channel => ({
  space,
  id,
});

export { watchOf } from './context.ts';

export interface LanguageChoice {
  readonly press: string;
  readonly chosen: readonly string[];
  /** Languages that were searched for: they are offered in place of the usual ones. */
  readonly found?: readonly string[];
  /** The most that may be chosen. Default: exactly one. */
  readonly most?: number;
  /** Default: that they are what a channel is translated into, or its own one. */
  readonly label?: MessageKey;
}

/** A choice of languages: the chosen ones, then those that the space uses already, then the most spoken ones. */
export const languageControl = (
  { press, chosen, found, most, label: key }: LanguageChoice,
  { services, channel, label, locale, capabilities }: PanelContext,
): Control => {
  const codes = new Set([...chosen, ...(found ?? offeredLanguages(channel.space, services))]);
  const usual = most ? 'autotranslate.panel-languages' : 'autotranslate.panel-language';
  return menu(press, label(key ?? usual), {
    values: [...codes].slice(0, capabilities.choices),
    labelOf: (value) => languageLabel(value, locale, services),
    chosen,
    most,
  });
};

/** The languages that were chosen, at most as many as may be; throws for what is no language's code. */
export const chosenLanguages = (
  values: readonly string[],
  most: number,
  { services }: PanelContext,
): readonly string[] => {
  const unknown = values.find((value) => services.languages.find(value) !== value);
  if (unknown !== undefined)
    throw userError('bad-input', 'errors.unknown-language', { language: typedCode(unknown) });
  if (values.length === 0 || values.length > most)
    throw userError('bad-input', 'autotranslate.how-many-languages', { most });
  return [...new Set(values)];
};
