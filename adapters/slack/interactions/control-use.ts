import { randomUUID } from 'node:crypto';
import type { BlockAction, ViewSubmitAction } from '@slack/bolt';
import { z } from 'zod';
import { channelOf, PLATFORM } from '../ids.ts';
import { MODAL_ACTION, type Home } from '../home.ts';
import type { AnswerPlace } from './answer.ts';
import { ENTERED, type Forms, type PressedAt } from './forms.ts';
import type { HeldForm } from './held-form.ts';
import { teamOf, type ReadUser } from './invocations.ts';
import type { Modals } from './modals.ts';
import type { Core } from '../../../src/adapter.ts';
import { isPrivatePress } from '../../../src/model/command-info.ts';
import { offers, type ShownControl } from '../../../src/model/shown-control.ts';
import type { Member } from '../../../src/model/place.ts';
import type { Answer, PressInvocation } from '../../../src/ports/platform.ts';

export interface ControlUseDeps {
  readonly core: Core;
  readonly home: Home;
  readonly modals: Modals;
  readonly forms: Forms;
  readonly answerAt: (place: AnswerPlace) => Answer;
}

const valuesOf = (used: BlockAction['actions'][number]): readonly string[] => {
  if ('selected_option' in used && used.selected_option) return [used.selected_option.value ?? ''];
  if ('selected_options' in used && used.selected_options)
    return used.selected_options.map(({ value }) => value ?? '');
  if ('selected_conversation' in used) return [used.selected_conversation];
  if ('selected_users' in used) return used.selected_users;
  return ('selected_conversations' in used && used.selected_conversations) || [];
};

/** The fields of controls, as they are written in `outbound/blocks.ts`. */
const element = z.looseObject({
  type: z.string(),
  action_id: z.string(),
  options: z.array(z.looseObject({ value: z.string() })).optional(),
  max_selected_items: z.number().optional(),
});
const controlBlocks = z.array(
  z.looseObject({
    block_id: z.string().optional(),
    elements: z.array(z.unknown()).optional(),
    accessory: z.unknown().optional(),
  }),
);

/** The values that a menu of several showed as chosen, of which Slack names none where there were none; undefined for others. */
const chosenIn = (used: BlockAction['actions'][number]): readonly string[] | undefined => {
  if ('initial_options' in used) return used.initial_options?.map(({ value }) => value ?? '');
  if ('initial_users' in used) return used.initial_users;
  if ('initial_conversations' in used) return used.initial_conversations;
  return used.type.startsWith('multi_') ? [] : undefined;
};

/**
 * The control as the message or view shows it; undefined where it shows none. Of what one person alone sees Slack gives
 * nothing.
 */
const controlIn = (
  { message, view, container }: BlockAction,
  used: BlockAction['actions'][number],
): ShownControl | undefined => {
  const chosen = chosenIn(used);
  if (!message && !view && container['is_ephemeral'] === true) return { chosen };
  const shown = controlBlocks.safeParse(view?.blocks ?? message?.['blocks']).data ?? [];
  const found = shown
    .filter(({ block_id: id = used.block_id }) => id === used.block_id)
    .flatMap(({ elements = [], accessory }) => [...elements, accessory])
    .flatMap((each) => element.safeParse(each).data ?? [])
    .find(({ action_id: id }) => id === used.action_id);
  if (!found) return undefined;
  if (found.type === 'button') return { offered: [] };
  return {
    chosen,
    offered: found.options?.map(({ value }) => value),
    most: found.type.startsWith('multi_') ? found.max_selected_items : 1,
  };
};

/** Creates what does what controls say, and forms that presses begin with. */
export const createControlUse = (
  deps: ControlUseDeps,
  readUser: ReadUser,
  stopped: AbortSignal,
) => {
  const { core, home, modals, forms, answerAt } = deps;

  /** Does what a control says, and shows the result at the control. */
  const act = async (
    member: Member,
    press: string,
    chosen: Pick<PressInvocation, 'values' | 'control'>,
    at: PressedAt,
    form?: HeldForm,
  ): Promise<void> => {
    if (at.kind === 'home') {
      const refuse = form?.refusing(ENTERED);
      return home.press(at.space, member, { press, ...chosen, blockId: at.blockId, refuse });
    }
    const { channel } = at.where;
    const answer = answerAt({ ...at.where, locale: member.locale });
    await core.press({
      id: randomUUID(),
      press,
      ...chosen,
      member,
      channel,
      signal: stopped,
      answer: form ? form.before(answer, ENTERED) : answer,
    });
  };

  return {
    pressed: async (body: BlockAction): Promise<void> => {
      const space = teamOf(body);
      const [used] = body.actions;
      if (!used) return;
      const { container, user, trigger_id: triggerId } = body;
      const channel = channelOf(space.id, body.channel?.id ?? user.id);
      const threadTs = container['thread_ts'] as string | undefined;
      const place = { channel, userId: user.id, threadTs, responseUrl: body.response_url };
      const member = await readUser(place, user.name);
      if (!member) return;
      const press = used.action_id;
      const values = valuesOf(used);
      const control = controlIn(body, used);
      const isOffered = offers(control, values);
      if (isOffered && press.startsWith(MODAL_ACTION))
        return modals.openFromHome(space, member, press.slice(MODAL_ACTION.length), triggerId);
      const pressedAt = (): PressedAt | undefined => {
        if (container['type'] === 'view')
          return isOffered ? { kind: 'home', space, blockId: used.block_id } : undefined;
        const ts = container['message_ts'] as string | undefined;
        if (!body.channel || ts === undefined) return undefined;
        const isEphemeral = container['is_ephemeral'] === true;
        const isBeside =
          !isOffered ||
          (!isEphemeral &&
            isPrivatePress(core.commands(member.locale, PLATFORM), press, member.role));
        const onMessage = isBeside ? undefined : { ts, isEphemeral };
        return { kind: 'message', where: { ...place, isPrivate: isBeside, onMessage } };
      };
      const at = pressedAt();
      if (!at) return;
      const form = forms.of(press, member);
      if (form && isOffered && (await core.admits({ member, channel, press })))
        return forms.open(space, member, { form, press, at, triggerId });
      await act(member, press, { values, control }, at);
    },
    formSubmitted: async (body: ViewSubmitAction, form: HeldForm): Promise<void> => {
      const { place, press, values, at } = forms.submitted(body);
      const member = await readUser(place, body.user.name);
      if (member) await act(member, press, { values, control: {} }, at, form);
    },
  };
};
