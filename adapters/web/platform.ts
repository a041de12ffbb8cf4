import { AppError } from '../../src/errors.ts';
import type { Channel } from '../../src/model/place.ts';
import type { Content, Control, OutgoingFile } from '../../src/model/message.ts';
import type { Platform, PersonalData } from '../../src/ports/platform.ts';
import type { ChannelLog } from './channel-log.ts';
import { CAPABILITIES, WEB_LIMITS } from './limits.ts';
import { toHtml } from './html.ts';
import { OUR_NAME, PLATFORM } from './profiles.ts';
import type { TempStore } from './temp-store.ts';
import type { ChannelId, PageAuthor, PageControl, PageFile, PageMessage } from './protocol.ts';

export const SPACE = { platform: PLATFORM, id: 'page' } as const;

export const OURSELVES: PageAuthor = { id: 'dragoman', name: OUR_NAME, ours: true };

const CHANNELS: readonly string[] = ['playground', 'lounge'] satisfies ChannelId[];

const isChannelId = (id: string): id is ChannelId => CHANNELS.includes(id);

export const pageChannel = (id: ChannelId): Channel => ({ space: SPACE, id });

/** Turns `Content` into what the page shows, keeping its files. */
export type Render = (
  content: Content,
) => Promise<Pick<PageMessage, 'html' | 'tone' | 'files' | 'controls'>>;

const isShown = (control: Control): control is PageControl =>
  control.kind === 'button' || control.kind === 'choice';

export const createRender = (
  files: Pick<TempStore, 'get' | 'put'>,
  { dropLone }: Pick<ChannelLog, 'dropLone'>,
): Render => {
  const shownFiles = new WeakMap<OutgoingFile, Promise<PageFile>>();
  const keep = async (file: OutgoingFile): Promise<PageFile> => {
    const already = await shownFiles.get(file)?.catch(() => undefined);
    if (already && files.get(already.id)) return already;
    const keeping = files.put(file, [file.bytes], WEB_LIMITS.answerFilesBytes);
    shownFiles.set(file, keeping);
    return keeping;
  };
  /** All of them, or none. */
  const keepAll = async (given: readonly OutgoingFile[]): Promise<readonly PageFile[]> => {
    const kept = await Promise.allSettled(given.map(keep));
    const failed = kept.find((each) => each.status === 'rejected');
    const fulfilled = kept.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    if (!failed) return fulfilled;
    dropLone(fulfilled);
    throw failed.reason as Error;
  };
  return async ({ text, files: given = [], tone = 'plain', controls = [] }) => ({
    html: toHtml(text),
    tone,
    files: await keepAll(given),
    controls: controls.filter(isShown),
  });
};

const channelIdOf = (channel: Channel): ChannelId => {
  if (channel.space.platform !== PLATFORM || !isChannelId(channel.id))
    throw new AppError('not-found', 'there is no such channel on the page');
  return channel.id;
};

export interface PlatformDeps {
  readonly channelLog: ChannelLog;
  readonly render: Render;
  readonly personalData: PersonalData;
}

/** The page as the core sees it. */
export const createPlatform = ({ channelLog, render, personalData }: PlatformDeps): Platform => {
  const renderHeld = async (content: Content, assertHeld = (): void => undefined) => {
    const rendered = await render(content);
    try {
      assertHeld();
    } catch (error) {
      channelLog.dropLone(rendered.files);
      throw error;
    }
    return rendered;
  };

  return {
    name: PLATFORM,
    title: 'Dragoman',
    capabilities: CAPABILITIES,
    personalData,
    post: async (to, content, { replyTo, assertHeld } = {}) => {
      const channel = channelIdOf(to);
      const rendered = await renderHeld(content, assertHeld);
      const entry = channelLog.add({
        channel,
        author: OURSELVES,
        ...rendered,
        ...(replyTo ? { replyTo: replyTo.id } : {}),
        working: false,
      });
      return { channel: to, ids: [entry.message.id] };
    },
    edit: async (message, content, { assertHeld } = {}) => {
      channelIdOf(message.channel);
      const [id] = message.ids;
      if (!channelLog.find(id)?.message.author.ours)
        throw new AppError('not-found', 'there is no such message of ours');
      const rendered = await renderHeld(content, assertHeld);
      channelLog.change(id, rendered);
      return message;
    },
    delete: async (message) => {
      channelIdOf(message.channel);
      const [id] = message.ids;
      if (channelLog.find(id)?.message.author.ours === false)
        throw new AppError('forbidden', 'only messages of ours can be deleted');
      channelLog.remove(id);
    },
  };
};
