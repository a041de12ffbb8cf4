import { randomUUID } from 'node:crypto';
import type {
  App,
  BlockAction,
  SlackShortcut,
  SlashCommand,
  ViewResponseAction,
  ViewSubmitAction,
} from '@slack/bolt';
import { z } from 'zod';
import { channelOf, PLATFORM } from '../ids.ts';
import { MODAL_ACTION, type Home } from '../home.ts';
import type { MessageReader } from '../inbound/message-reader.ts';
import { NAMING, ROOT_COMMAND } from '../manifest.ts';
import { rawMessage, type RawSlackMessage } from '../inbound/raw-message.ts';
import type { People } from '../people.ts';
import type { ThreadRoots } from '../history.ts';
import type { AnswerPlace } from './answer.ts';
import { ENTERED, FORM_MODAL, type Forms, type PressedAt } from './forms.ts';
import { holdForm, type HeldForm } from './held-form.ts';
import { createTyped, readMember, readTyped, teamOf } from './invocations.ts';
import { blockFor, COMMAND_MODAL } from './modal.ts';
import type { Modals } from './modals.ts';
import { awaitedByUse } from './open-answers.ts';
import type { Core } from '../../../src/adapter.ts';
import {
  findCommand,
  freeTextOption,
  readValues,
  unknownCommand,
} from '../../../src/command/command-line.ts';
import { AppError, faultFields, toAppError, type Sentence } from '../../../src/errors.ts';
import { say } from '../../../src/i18n/texts.ts';
import { isPrivatePress, isPrivateUse, type CommandInfo } from '../../../src/model/command-info.ts';
import { styled, subtext, text } from '../../../src/rich-text/rich-text.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { quotedWords, typedCode } from '../../../src/text/quoted-words.ts';
import type { Channel, Member } from '../../../src/model/place.ts';
import type { Answer } from '../../../src/ports/platform.ts';
import type { OpenAnswers } from '../../../src/ports/store.ts';

// Each shape has the fields without which a use cannot be handled; bolt's types only promise them.

/** A slash command. docs.slack.dev: "Slash commands". */
const COMMAND = z.looseObject({
  team_id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
  command: z.string(),
  trigger_id: z.string(),
  response_url: z.string(),
});
/** The fields of every other use of the app. docs.slack.dev: "Interactivity". */
const INTERACTION = z.looseObject({
  team: z.looseObject({ id: z.string() }).nullish(),
  user: z.looseObject({ id: z.string() }),
});
/** A press of a control. */
const ACTION = INTERACTION.extend({
  actions: z.array(z.looseObject({ action_id: z.string() })),
  container: z.looseObject({}),
});
/** A modal that was sent. */
const SUBMISSION = INTERACTION.extend({
  view: z.looseObject({
    private_metadata: z.string(),
    state: z.looseObject({ values: z.record(z.string(), z.record(z.string(), z.looseObject({}))) }),
  }),
});

type AckView = (response?: ViewResponseAction) => Promise<void>;

export interface InteractionDeps {
  readonly core: Core;
  readonly reader: MessageReader;
  /** Reads a message; undefined where it is deleted. */
  readonly readMessage: (channel: Channel, ts: string) => Promise<RawSlackMessage | undefined>;
  readonly people: Pick<People, 'of'>;
  readonly threads: Pick<ThreadRoots, 'note'>;
  readonly home: Pick<Home, 'press'>;
  readonly modals: Modals;
  readonly forms: Forms;
  readonly openAnswers: Pick<OpenAnswers, 'begin'>;
  /** Creates the answer to one use of a command or control. */
  readonly answerAt: (place: AnswerPlace) => Answer;
}

/** True when what a command is about is missing: what it requires, or its text where it takes one. */
const needsModal = (command: CommandInfo, values: Readonly<Record<string, unknown>>): boolean => {
  const free = freeTextOption(command);
  const about = free && !free.autocompletes ? [free] : [];
  return [...command.options.filter(({ required }) => required), ...about].some(
    ({ name }) => !(name in values),
  );
};

/** Words of people who know voice channels of other platforms; Slack gives apps none. */
const OF_VOICE = new Set(
  'huddle huddles join leave captions rooms queue skip stop readaloud'.split(' '),
);

/** Says why a line is no command; here people find them by `help`, not by typing a slash. */
const faultOf = (line: string, commands: readonly CommandInfo[]): Sentence => {
  const word = line.slice(1).split(/\s/, 1).join('');
  if (OF_VOICE.has(word.toLowerCase())) return { key: 'slack.no-huddles' };
  const fault = unknownCommand(line, commands);
  const { guess } = fault.params;
  const command = typedCode(`${ROOT_COMMAND} ${word}`);
  if (fault.key === 'line.unknown-command')
    return { key: 'errors.unknown-command', params: { command } };
  return guess === undefined
    ? fault
    : {
        key: 'slack.did-you-mean',
        params: { command, guess: typedCode(`${ROOT_COMMAND} ${guess}`) },
      };
};

type ReadUser = (
  where: Omit<AnswerPlace, 'isPrivate'>,
  name?: string,
) => Promise<Member | undefined>;

/** The line above an answer for everybody: who asked, and what they typed. What moderators set up speaks for itself. */
const askedLine = (
  { name }: Member,
  { moderators }: CommandInfo,
  typed: string,
): Pick<AnswerPlace, 'asked'> =>
  moderators
    ? {}
    : { asked: subtext(styled('bold', text(quotedWords(name))), text(`: ${quotedWords(typed)}`)) };

/** Creates what runs the commands that people type, choose as a shortcut or fill in as a modal. */
const createCommandUse = (deps: InteractionDeps, readUser: ReadUser, stopped: AbortSignal) => {
  const { core, reader, threads, modals, answerAt } = deps;

  const dispatch = async (
    member: Member,
    command: CommandInfo,
    where: AnswerPlace,
    use: Pick<Parameters<Core['dispatch']>[0], 'options' | 'readText' | 'on'>,
    form?: HeldForm,
  ): Promise<void> =>
    core.dispatch({
      ...use,
      id: randomUUID(),
      command: command.name,
      member,
      channel: where.channel,
      signal: stopped,
      answer: form ? form.before(answerAt(where), blockFor(command)) : answerAt(where),
    });

  /** Uses a command on a message; the one who does so alone sees the answer. */
  const useOn = async (
    raw: RawSlackMessage,
    member: Member,
    command: CommandInfo,
    used: Pick<AnswerPlace, 'channel' | 'userId' | 'responseUrl'>,
  ): Promise<void> => {
    const { channel } = used;
    const on = await reader.read(raw, channel.space, channel.id);
    threads.note(channel, raw.ts, raw.thread_ts ?? raw.ts);
    // What one person alone sees is shown in no thread that nobody began, and a thread is begun by its replies.
    const isReply = raw.thread_ts !== raw.ts && raw.subtype !== 'thread_broadcast';
    const threadTs = isReply ? raw.thread_ts : undefined;
    await dispatch(member, command, { ...used, threadTs, isPrivate: true }, { options: {}, on });
  };

  return {
    /** Takes that somebody asked with a reaction for the translation of a message. */
    asked: async (channel: Channel, ts: string, userId: string): Promise<void> => {
      const { flags } = await core.services.spaces.of(channel.space);
      const used = { channel, userId, responseUrl: undefined };
      const member = flags.on ? await readUser(used) : undefined;
      const raw = member && (await deps.readMessage(channel, ts));
      const command = core
        .commands(member?.locale ?? 'en', PLATFORM)
        .find(({ name }) => name === 'translate');
      if (member && raw && command) await useOn(raw, member, command, used);
    },
    typed: async (body: SlashCommand): Promise<void> => {
      const channel = channelOf(body.team_id, body.channel_id);
      const where = { channel, userId: body.user_id, responseUrl: body.response_url };
      const member = await readUser(where, body.user_name);
      if (!member) return;
      const hidden = { ...where, isPrivate: true };
      const explain = async (fault: Sentence): Promise<void> => {
        const words = say(core.texts.rich(member.locale, NAMING), fault);
        await answerAt(hidden).show({ text: words, tone: 'error' });
      };
      const commands = core.commands(member.locale, PLATFORM);
      const typed = (body.text ?? '').trim();
      const line =
        body.command === ROOT_COMMAND
          ? `/${typed || 'help'}`
          : `${body.command} ${typed}`.trimEnd();
      const found = findCommand(line, commands);
      if (!found) return explain(faultOf(line, commands));
      const read = readValues(line, found);
      if (!read.ok) return explain(read.fault);
      const { command } = found;
      const isAdmitted = async () => core.admits({ member, channel, command: command.name });
      if (needsModal(command, read.value) && (await isAdmitted()))
        return modals.open(channel.space, member, command, read.value, body.trigger_id, where);
      return dispatch(
        member,
        command,
        {
          ...where,
          isPrivate: isPrivateUse(command, member.role),
          ...askedLine(member, command, plainText(readTyped(line))),
        },
        createTyped(read.value),
      );
    },
    shortcut: async (body: SlackShortcut): Promise<void> => {
      const space = teamOf(body);
      const userId = body.user.id;
      const onMessage = body.type === 'message_action' ? body : undefined;
      const channel = channelOf(space.id, onMessage?.channel.id ?? userId);
      const used = { channel, userId, responseUrl: onMessage?.response_url };
      const member = await readUser(used, onMessage?.user.name);
      if (!member) return;
      const commands = core.commands(member.locale, PLATFORM);
      const command = commands.find(({ name }) => name === body.callback_id);
      if (!command) throw new AppError('not-found', 'there is no such shortcut');
      const raw = rawMessage.safeParse(onMessage?.message).data;
      if (!raw)
        return modals.open(space, member, command, {}, body.trigger_id, {
          channel: channelOf(space.id, userId),
          responseUrl: undefined,
        });
      await useOn(raw, member, command, used);
    },
    submitted: async (body: ViewSubmitAction, form: HeldForm): Promise<void> => {
      const { member, command, values, where } = await modals.submitted(body);
      const words = Object.values(values).filter((value) => typeof value === 'string');
      const asked = askedLine(member, command, [`/${command.name}`, ...words].join(' '));
      await dispatch(member, command, { ...where, ...asked }, createTyped(values), form);
    },
  };
};

/** The values that were chosen with a control. */
const valuesOf = (used: BlockAction['actions'][number]): readonly string[] => {
  if ('selected_option' in used && used.selected_option) return [used.selected_option.value ?? ''];
  if ('selected_options' in used && used.selected_options)
    return used.selected_options.map(({ value }) => value ?? '');
  if ('selected_conversation' in used) return [used.selected_conversation];
  return ('selected_conversations' in used && used.selected_conversations) || [];
};

/** Creates what does what controls say, and forms that presses begin with. */
const createPress = (deps: InteractionDeps, readUser: ReadUser, stopped: AbortSignal) => {
  const { core, home, modals, forms, answerAt } = deps;

  /** Does what a control says, and shows the result at the control. */
  const act = async (
    member: Member,
    press: string,
    values: readonly string[],
    at: PressedAt,
    form?: HeldForm,
  ): Promise<void> => {
    if (at.kind === 'home') {
      const refuse = form?.refusing(ENTERED);
      return home.press(at.space, member, { press, values, blockId: at.blockId, refuse });
    }
    const { channel } = at.where;
    const answer = form ? form.before(answerAt(at.where), ENTERED) : answerAt(at.where);
    await core.press({
      id: randomUUID(),
      press,
      values,
      member,
      channel,
      signal: stopped,
      answer,
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
      if (press.startsWith(MODAL_ACTION))
        return modals.openFromHome(space, member, press.slice(MODAL_ACTION.length), triggerId);
      const pressedAt = (): PressedAt | undefined => {
        if (container['type'] === 'view') return { kind: 'home', space, blockId: used.block_id };
        const ts = container['message_ts'] as string | undefined;
        if (!body.channel || ts === undefined) return undefined;
        const isEphemeral = container['is_ephemeral'] === true;
        const isBeside =
          !isEphemeral && isPrivatePress(core.commands(member.locale, PLATFORM), press);
        const onMessage = isBeside ? undefined : { ts, isEphemeral };
        return { kind: 'message', where: { ...place, isPrivate: isBeside, onMessage } };
      };
      const at = pressedAt();
      if (!at) return;
      const form = forms.of(press, member);
      if (form && (await core.admits({ member, channel, press })))
        return forms.open(space, member, { form, press, at, triggerId });
      await act(member, press, valuesOf(used), at);
    },
    formSubmitted: async (body: ViewSubmitAction, form: HeldForm): Promise<void> => {
      const { place, press, values, at } = forms.submitted(body);
      const member = await readUser(place, body.user.name);
      if (member) await act(member, press, values, at, form);
    },
  };
};

/** Creates what runs commands, shortcuts and controls. */
export const createInteractions = (deps: InteractionDeps, stopped: AbortSignal) => {
  const { core, people, modals, answerAt } = deps;
  const { log } = core;

  /** Reads who uses something; undefined where Slack does not say who they are, which they are told. */
  const readUser: ReadUser = async (where, name) => {
    const { channel, userId, responseUrl } = where;
    try {
      return await readMember(people, channel.space, userId, name);
    } catch (thrown) {
      log.warn(faultFields(thrown), 'Slack: somebody who used the app could not be read');
      const words = say(core.texts.rich('en-US', NAMING), toAppError(thrown).sentence);
      if (responseUrl !== undefined)
        await answerAt({ ...where, isPrivate: true }).show({ text: words, tone: 'error' });
      return undefined;
    }
  };
  const use = createCommandUse(deps, readUser, stopped);
  const press = createPress(deps, readUser, stopped);

  /**
   * Acknowledges a use, and then handles it; a fault of this program is logged, as nobody waits for it. Rejects for a
   * body of another shape, after it was acknowledged.
   */
  const take = async <Body>(
    body: Body,
    shape: z.ZodType,
    acknowledge: () => Promise<void>,
    handle: (body: Body) => Promise<void>,
  ): Promise<void> => {
    const awaited = awaitedByUse(body);
    const ended = awaited && deps.openAnswers.begin(awaited);
    await acknowledge();
    const { success, error } = shape.safeParse(body);
    if (!success) {
      ended?.();
      throw error;
    }
    handle(body)
      .catch((thrown: unknown) => {
        if (!stopped.aborted) log.error({ err: thrown }, 'Slack: an interaction failed');
      })
      .finally(ended);
  };
  const taking =
    <Body>(shape: z.ZodType, handle: (body: Body) => Promise<void>) =>
    async ({ ack, body }: { readonly ack: () => Promise<void>; readonly body: Body }) =>
      take(body, shape, ack, handle);

  /** Takes a form that was sent, which stays open until it is known what comes of it. */
  const takingForm =
    (handle: (body: ViewSubmitAction, form: HeldForm) => Promise<void>) =>
    async ({ ack, body }: { readonly ack: AckView; readonly body: ViewSubmitAction }) => {
      const form = holdForm(ack);
      const handled = async (): Promise<void> => {
        try {
          await handle(body, form);
        } finally {
          await form.close();
        }
      };
      const taken = take(body, SUBMISSION, async () => undefined, handled);
      await taken.catch(form.close);
      await form.settled;
      await taken;
    };

  return {
    /** Has a message translated for somebody who asked for it with a reaction; a fault is logged. */
    asked: (channel: Channel, ts: string, userId: string): void => {
      use.asked(channel, ts, userId).catch((thrown: unknown) => {
        if (!stopped.aborted)
          log.warn(faultFields(thrown), 'Slack: a message could not be translated for somebody');
      });
    },
    /** Takes everything that people do with the app. */
    listen: (app: App): void => {
      app.command(/.*/, taking(COMMAND, use.typed));
      app.shortcut(/.*/, taking(INTERACTION, use.shortcut));
      app.action<BlockAction>(/.*/, taking(ACTION, press.pressed));
      app.options(/.*/, async ({ ack, body }) => {
        INTERACTION.parse(body);
        await ack({ options: [...(await modals.suggested(body))] });
      });
      app.view<ViewSubmitAction>(FORM_MODAL, takingForm(press.formSubmitted));
      app.view<ViewSubmitAction>(COMMAND_MODAL, takingForm(use.submitted));
    },
  };
};
