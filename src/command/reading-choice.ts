import type { Control } from '../model/message.ts';
import type { PressContext } from './command.ts';
import { languageLabel, menu, offeredLanguages, typedLanguage } from './helpers.ts';

/** The value of the choice by which the language of each reader's app counts. */
const OWN = 'own';

/**
 * The choice of the language of readers who chose none.
 *
 * @param chosen its code; empty for the language of each reader's app
 * @param found languages that were searched for. Default: those of the space, then the most spoken ones
 */
export const readingControl = (
  press: string,
  chosen: string,
  {
    services,
    channel,
    label,
    locale,
    capabilities,
  }: Pick<PressContext, 'services' | 'channel' | 'label' | 'locale' | 'capabilities'>,
  found: readonly string[] = offeredLanguages(channel.space, services),
): Control => {
  const first = chosen === '' ? OWN : chosen;
  return menu(press, label('rules.panel-reading'), {
    values: [...new Set([OWN, first, ...found])].slice(0, capabilities.choices),
    labelOf: (value) =>
      value === OWN ? label('rules.panel-reading-own') : languageLabel(value, locale, services),
    chosen: [first],
  });
};

/** The code that was chosen; empty for the language of each reader's app. Throws `bad-input` for an unknown one. */
export const chosenReading = ({
  values: [value = OWN],
  services,
}: Pick<PressContext, 'values' | 'services'>): string =>
  value === OWN ? '' : typedLanguage(value, services);
