import {
  ComponentType,
  InteractionResponseType,
  TextInputStyle,
  type APIModalSubmitInteraction,
} from 'discord.js';
import type { FormInfo } from '../../../src/model/command-info.ts';
import { shorten } from '../../../src/text/quoted-words.ts';
import { FIELD_CHARS, FORM_CHARS, HINT_CHARS } from '../limits.ts';

/** The response that opens a form; what is entered comes back with the press. */
export const openForm = (press: string, { title, label, hint, maxChars }: FormInfo) => ({
  type: InteractionResponseType.Modal,
  data: {
    custom_id: press,
    title: shorten(title, FORM_CHARS),
    components: [
      {
        type: ComponentType.Label,
        label: shorten(label, FORM_CHARS),
        description: shorten(hint, HINT_CHARS),
        component: {
          type: ComponentType.TextInput,
          custom_id: 'value',
          style: TextInputStyle.Short,
          max_length: Math.min(maxChars, FIELD_CHARS),
          required: true,
        },
      },
    ],
  },
});

/** The text that was entered in a form. */
export const enteredIn = ({ components }: APIModalSubmitInteraction['data']): readonly string[] =>
  components.flatMap((part) =>
    'component' in part && 'value' in part.component && typeof part.component.value === 'string'
      ? [part.component.value]
      : [],
  );
