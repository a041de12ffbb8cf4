import { randomUUID } from 'node:crypto';
import type { ViewSubmitAction } from '@slack/bolt';
import { z } from 'zod';
import type { Api } from '../api.ts';
import { channelOf, PLATFORM } from '../ids.ts';
import { HINT_CHARS, INPUT_CHARS, LABEL_CHARS } from '../limits.ts';
import { plain, type SlackBlock } from '../outbound/blocks.ts';
import type { AnswerPlace } from './answer.ts';
import { enteredValues, modalView } from './modal.ts';
import { teamOf } from './invocations.ts';
import type { Core } from '../../../src/adapter.ts';
import { createLru } from '../../../src/async/lru.ts';
import { formOfPress, type FormInfo } from '../../../src/model/command-info.ts';
import type { Member, Space } from '../../../src/model/place.ts';
import { shorten } from '../../../src/text/quoted-words.ts';

/** The callback of the modal with the form of a press. */
export const FORM_MODAL = 'form';
/** The block of its one field. */
export const ENTERED = 'entered';

/** The place of a pressed control: App Home, or a message. */
export type PressedAt =
  | { readonly kind: 'home'; readonly space: Space; readonly blockId: string }
  | { readonly kind: 'message'; readonly where: AnswerPlace };

/** The press that opened a form, as the modal's metadata keep it. */
const formState = z.object({
  press: z.string(),
  blockId: z.string().optional(),
  channel: z.string().optional(),
  thread: z.string().optional(),
  ts: z.string().optional(),
  isEphemeral: z.boolean().optional(),
  isPrivate: z.boolean().optional(),
  /** Key of the address for answers, which is kept in memory. */
  use: z.string(),
});

/** Uses whose address is remembered while their form is open. */
const OPEN_FORMS = 500;

interface FormUse {
  readonly form: FormInfo;
  readonly press: string;
  readonly at: PressedAt;
  readonly triggerId: string;
}

export type Forms = ReturnType<typeof createForms>;

/** Creates the forms that presses begin with, and reads what people enter. */
export const createForms = (api: Api, core: Pick<Core, 'commands' | 'texts'>) => {
  const addresses = createLru<string, string>(OPEN_FORMS);
  return {
    /** The form that a press begins with; undefined for most. */
    of: (press: string, { locale }: Member): FormInfo | undefined =>
      formOfPress(core.commands(locale, PLATFORM), press),
    open: async (
      space: Space,
      { locale }: Member,
      { form, press, at, triggerId }: FormUse,
    ): Promise<void> => {
      const label = core.texts.in(locale);
      const use = randomUUID();
      const where = at.kind === 'message' ? at.where : undefined;
      if (where?.responseUrl !== undefined) addresses.set(use, where.responseUrl);
      const state: z.infer<typeof formState> = {
        press,
        use,
        blockId: at.kind === 'home' ? at.blockId : undefined,
        channel: where?.channel.id,
        thread: where?.threadTs,
        ts: where?.onMessage?.ts,
        isEphemeral: where?.onMessage?.isEphemeral,
        isPrivate: where?.isPrivate,
      };
      const field: SlackBlock = {
        type: 'input',
        block_id: ENTERED,
        label: plain(shorten(form.label, LABEL_CHARS)),
        hint: plain(shorten(form.hint, HINT_CHARS)),
        element: {
          type: 'plain_text_input',
          action_id: 'value',
          max_length: Math.min(form.maxChars, INPUT_CHARS),
        },
      };
      const view = modalView(FORM_MODAL, form.title, JSON.stringify(state), label, [field]);
      await api.call(space, 'views.open', { trigger_id: triggerId, view }, { once: true });
    },
    /** Reads a form that was sent. */
    submitted: (body: ViewSubmitAction) => {
      const space = teamOf(body);
      const state = formState.parse(JSON.parse(body.view.private_metadata));
      const { press, blockId, channel, ts } = state;
      const entered = enteredValues(body.view.state)[ENTERED];
      const values = typeof entered === 'string' ? [entered] : [];
      const place = {
        channel: channelOf(space.id, channel ?? body.user.id),
        userId: body.user.id,
        threadTs: state.thread,
        responseUrl: addresses.get(state.use),
      };
      const where: AnswerPlace = {
        ...place,
        isPrivate: state.isPrivate ?? true,
        ...(ts === undefined ? {} : { onMessage: { ts, isEphemeral: state.isEphemeral ?? false } }),
      };
      const at: PressedAt =
        blockId === undefined ? { kind: 'message', where } : { kind: 'home', space, blockId };
      return { place, press, values, at };
    },
  };
};
