import type { MessageKey } from '../errors.ts';
import type { Translate } from '../i18n/texts.ts';
import type { Control } from '../model/message.ts';
import { button } from './controls.ts';

/** The first steps: the press that opens each, and its label. */
const STEPS = {
  translate: ['autotranslate open', 'welcome.translate'],
  captions: ['captions open', 'welcome.captions'],
  language: ['language pick', 'language.button'],
  help: ['help all', 'welcome.help'],
} as const satisfies Record<string, readonly [press: string, key: MessageKey]>;

export type FirstStep = keyof typeof STEPS;

/** Creates the buttons under a message in which the bot introduces itself; each opens its thing for the presser alone. */
export const firstSteps = (label: Translate, steps: readonly FirstStep[]): readonly Control[] =>
  steps.map((step, at) => {
    const [press, key] = STEPS[step];
    return button({ label }, press, key, at === 0 ? 'primary' : 'plain');
  });
