import type { MessageKey } from '../errors.ts';
import type { Control } from '../model/message.ts';

/**
 * The buttons under the line of a channel that is translated on request: its last messages in the language of the one who
 * presses, and the choice of that language.
 *
 * @param label the words of a sentence, without markup
 */
export const requestControls = (label: (key: MessageKey) => string): readonly Control[] => [
  {
    kind: 'button',
    press: 'catchup recent',
    label: label('autotranslate.read-here'),
    look: 'primary',
  },
  { kind: 'button', press: 'language pick', label: label('language.button') },
];
