import { createLru } from '../../src/async/lru.ts';
import type { Choice, CommandInfo } from '../../src/model/command-info.ts';
import { userError } from '../../src/errors.ts';
import type { Attachment } from '../../src/model/message.ts';
import type { CompletionRequest } from '../../src/ports/platform.ts';
import type { Core } from '../../src/adapter.ts';
import type { Dictations } from './dictations.ts';
import type { Invocations } from './invocations.ts';
import { WEB_LIMITS } from './limits.ts';
import { PLATFORM, type Profile } from './profiles.ts';
import { SPACE } from './platform.ts';
import type { UploadStore } from './temp-store.ts';
import type { PageCommandUse, Pressed, UseRequest } from './protocol.ts';

type CompleteRequest = Pick<CompletionRequest, 'command' | 'option' | 'typed'>;

export interface CommandRequestsDeps {
  readonly core: Core;
  readonly invocations: Invocations;
  readonly uploads: UploadStore;
  readonly dictations: Pick<Dictations, 'textOf'>;
  readonly onDone: (member: Profile) => Promise<void>;
}

export const clip = (text: string): string =>
  text.length > WEB_LIMITS.shownOptionChars
    ? `${text.slice(0, WEB_LIMITS.shownOptionChars)}…`
    : text;

const labelKey = (command: string, option: string, value: string): string =>
  JSON.stringify([command, option, value]);

export const createCommandRequests = (deps: CommandRequestsDeps) => {
  const { core, invocations, uploads, dictations, onDone } = deps;
  /** The labels of offered values: ids are shown by name once they are chosen. */
  const labels = createLru<string, string>(WEB_LIMITS.labels);

  const commandOf = (name: string, locale: string): CommandInfo => {
    const command = core.commands(locale, PLATFORM).find((each) => each.name === name);
    if (!command) throw userError('not-found', 'line.unknown-command', { command: clip(name) });
    return command;
  };

  const shownUse = (member: Profile, command: CommandInfo, request: UseRequest): PageCommandUse => {
    const shown = (option: string): string | undefined => {
      const upload = request.files[option];
      if (upload !== undefined) return uploads.take(upload, member.id).name;
      const value = request.options[option];
      if (value === undefined) return undefined;
      return labels.get(labelKey(command.name, option, String(value))) ?? String(value);
    };
    const options = command.options.flatMap(({ name }) => {
      const value = shown(name);
      return value === undefined ? [] : [{ name, value: clip(value) }];
    });
    return { command: command.name, options };
  };

  const attachmentOf = (upload: string, memberId: string): Attachment => {
    const file = uploads.take(upload, memberId);
    // Taken whether the command asks for it or not: the text of a used recording is kept no longer.
    const dictated = dictations.textOf(memberId, file);
    dictated.catch(() => undefined);
    return { ...file, dictated: () => dictated };
  };

  const inBackground = (settle: () => Promise<void>): void => {
    settle().catch((error: unknown) => core.log.error({ err: error }, 'command failed'));
  };

  return {
    /** Shows the use and runs the command; gives the id of the message that answers it. */
    use: (member: Profile, request: UseRequest): string => {
      const command = commandOf(request.command, member.locale);
      const attachments = Object.entries(request.files).map(
        ([name, id]) => [name, attachmentOf(id, member.id)] as const,
      );
      const { id, done } = invocations.run(member, {
        command,
        options: { ...request.options, ...Object.fromEntries(attachments) },
        shown: shownUse(member, command, request),
        channel: request.channel,
      });
      inBackground(async () => {
        await done;
        await uploads.discard(Object.values(request.files));
        await onDone(member);
      });
      return id;
    },
    /** Does what a control under an answer says. */
    press: (member: Profile, pressed: Pressed): void => {
      const { done } = invocations.press(member, pressed);
      inBackground(async () => {
        await done;
        await onDone(member);
      });
    },
    complete: async (member: Profile, request: CompleteRequest): Promise<readonly Choice[]> => {
      const choices = await core.complete({ ...request, member, space: SPACE });
      for (const { value, label } of choices)
        labels.set(labelKey(request.command, request.option, value), label);
      return choices;
    },
  };
};
