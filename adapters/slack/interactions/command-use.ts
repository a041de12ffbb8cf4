import { randomUUID } from 'node:crypto';
import type { SlackShortcut, SlashCommand, ViewSubmitAction } from '@slack/bolt';
import { channelOf, PLATFORM } from '../ids.ts';
import type { Home } from '../home.ts';
import type { MessageReader } from '../inbound/message-reader.ts';
import { NAMING, ROOT_COMMAND } from '../manifest.ts';
import { rawMessage, type RawSlackMessage } from '../inbound/raw-message.ts';
import type { ThreadRoots } from '../history.ts';
import type { AnswerPlace } from './answer.ts';
import type { HeldForm } from './held-form.ts';
import { createTyped, readTyped, teamOf, type ReadUser } from './invocations.ts';
import { blockFor } from './modal.ts';
import type { Modals } from './modals.ts';
import type { Core } from '../../../src/adapter.ts';
import {
  findCommand,
  freeTextOption,
  readValues,
  unknownCommand,
} from '../../../src/command/command-line.ts';
import { AppError, type Sentence } from '../../../src/errors.ts';
import { say } from '../../../src/i18n/texts.ts';
import { isPrivateUse, type CommandInfo } from '../../../src/model/command-info.ts';
import { styled, subtext, text } from '../../../src/rich-text/rich-text.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { quotedWords, typedCode } from '../../../src/text/quoted-words.ts';
import type { Channel, Member } from '../../../src/model/place.ts';
import type { Answer } from '../../../src/ports/platform.ts';

export interface CommandUseDeps {
  readonly core: Core;
  readonly reader: MessageReader;
  /** Reads a message; undefined where it is deleted. */
  readonly readMessage: (channel: Channel, ts: string) => Promise<RawSlackMessage | undefined>;
  readonly threads: Pick<ThreadRoots, 'note'>;
  readonly modals: Modals;
  readonly home: Home;
  readonly answerAt: (place: AnswerPlace) => Answer;
}

/** True when what a command is about is missing: what it requires, or its text where it takes one. */
export const needsModal = (
  command: CommandInfo,
  values: Readonly<Record<string, unknown>>,
): boolean => {
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
export const createCommandUse = (
  deps: CommandUseDeps,
  readUser: ReadUser,
  stopped: AbortSignal,
) => {
  const { core, reader, threads, modals, home, answerAt } = deps;

  const dispatch = async (
    member: Member,
    command: CommandInfo,
    where: AnswerPlace,
    use: Pick<Parameters<Core['dispatch']>[0], 'options' | 'readText' | 'on'>,
    form?: HeldForm,
  ): Promise<void> => {
    const answer = answerAt({ ...where, locale: member.locale });
    await core.dispatch({
      ...use,
      id: randomUUID(),
      command: command.name,
      member,
      channel: where.channel,
      signal: stopped,
      answer: form ? form.before(answer, blockFor(command)) : answer,
    });
  };

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
          ...askedLine(member, command, plainText(readTyped(`${body.command} ${typed}`))),
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
      const { member, command, values, where, isOfHome } = await modals.submitted(body);
      const words = Object.values(values).filter((value) => typeof value === 'string');
      const line = [ROOT_COMMAND, command.name, ...words].join(' ');
      const asked = askedLine(member, command, line);
      await dispatch(member, command, { ...where, ...asked }, createTyped(values), form);
      if (isOfHome) home.open(teamOf(body), member.id);
    },
  };
};
