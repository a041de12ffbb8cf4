import type { LinkedMessage } from '../../src/adapter.ts';
import { AppError } from '../../src/errors.ts';
import type { Channel, Posted, Space } from '../../src/model/place.ts';
import { PLATFORM } from './rich-text/atoms.ts';

export { PLATFORM };

/** A workspace as a space; people's direct messages with the app belong to it too. */
export const spaceOf = (teamId: string): Space => ({ platform: PLATFORM, id: teamId });

export const channelOf = (teamId: string, id: string): Channel => ({ space: spaceOf(teamId), id });

/** Makes timestamps sort as texts. */
export const positionOf = (ts: string): string => ts.padStart(17, '0');

export const timestampAt = (position: string): string => position.replace(/^0+(?=\d)/, '');

export const positionAt = (timeMs: number): string => {
  const seconds = Math.floor(timeMs / 1_000);
  const micros = Math.floor((timeMs % 1_000) * 1_000);
  return positionOf(`${Math.max(0, seconds)}.${String(Math.max(0, micros)).padStart(6, '0')}`);
};

export const writtenMsOf = (position: string): number => Math.floor(Number(position) * 1_000);

const LINK_HOST = /\.slack(?:-gov)?\.com$/;
const LINK_PATH =
  /^\/archives\/(?<channel>[CDG][A-Z0-9]{2,20})\/p(?<seconds>\d{10})(?<micros>\d{6})\/?$/;

/** Reads a message's link ("chat.getPermalink"), which does not name the workspace by its id; undefined for any other. */
export const readLink = ({ hostname, pathname }: URL): LinkedMessage | undefined => {
  const { channel, seconds, micros } = LINK_PATH.exec(pathname)?.groups ?? {};
  if (!LINK_HOST.test(hostname) || !channel) return undefined;
  const ts = `${seconds}.${micros}`;
  const position = positionOf(ts);
  return {
    ref: { channel: channelOf('', channel), id: ts },
    position,
    writtenMs: writtenMsOf(position),
  };
};

/** Checks the id of a channel. Throws `not-found` for an impossible one. */
export const channelIdOf = ({ id, space }: Channel): string => {
  if (space.platform !== PLATFORM || !/^[CDG][A-Z0-9]{2,20}$/.test(id))
    throw new AppError('not-found', 'there is no such channel on Slack');
  return id;
};

/** True of a person's conversation with the app, which Home names by the person. */
export const isTalk = ({ id }: Channel): boolean => /^[DUW]/.test(id);

/** Messages of ours that belong together, in order. */
export const postedOf = (channel: Channel, timestamps: readonly string[]): Posted => ({
  channel,
  ids: timestamps as Posted['ids'],
});
