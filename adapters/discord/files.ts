import {
  fetchFile,
  goneFile,
  readFile,
  type FileHosts,
  knownHosts,
} from '../../src/http/attached-file.ts';
import type { ByteSource, OutgoingFile } from '../../src/model/message.ts';

/** Hosts on which Discord stores attachments. */
const HOSTS: ReadonlySet<string> = new Set(['cdn.discordapp.com', 'media.discordapp.net']);
/** Status codes of expired signed URLs. */
const EXPIRED: ReadonlySet<number> = new Set([403, 404, 410]);

export interface RemoteFile {
  readonly url: string;
  /** Size that Discord declares; reading stops beyond it. */
  readonly sizeBytes: number;
  /** Fetches a new URL when the old one has expired; undefined when the file is gone. */
  readonly renew?: () => Promise<string | undefined>;
}

/** Opens files of Discord's hosts only; does not follow redirects. */
export type OpenRemoteFile = (file: RemoteFile) => ByteSource;

/**
 * Creates the function that opens Discord's files.
 *
 * @param apiUrl server to use instead of Discord, which then also stores the files
 */
export const createOpenFile = (apiUrl: string | undefined): OpenRemoteFile => {
  const at: FileHosts = { platform: 'Discord', ...knownHosts(HOSTS, apiUrl) };

  const openRenewed = async ({ url, renew }: RemoteFile, signal: AbortSignal | undefined) => {
    const first = await fetchFile(url, at, signal);
    if (!EXPIRED.has(first.statusCode)) return first;
    await first.body.dump();
    const fresh = await renew?.();
    if (fresh === undefined) throw goneFile();
    return fetchFile(fresh, at, signal);
  };

  return (file) => ({
    sizeBytes: file.sizeBytes,
    async *open(signal) {
      yield* readFile(await openRenewed(file, signal), file.sizeBytes, EXPIRED, at, signal);
    },
  });
};

/** Points of a waveform ("Attachment Object", `waveform`), each one byte. */
const POINTS = 256;
const LOUDEST = 255;

/** True for a file that Discord shows as a voice message: Ogg alone ("Voice Messages"). */
export const isVoiceMessage = ({
  voice,
  mediaType,
}: Pick<OutgoingFile, 'voice' | 'mediaType'>): boolean =>
  voice !== undefined && /^audio\/ogg\b/i.test(mediaType);

/** The loudness that a waveform of Discord stands for. */
export const loudnessOf = (waveform: string): readonly number[] =>
  Array.from(Buffer.from(waveform, 'base64'), (point) => point / LOUDEST);

/** A loudness as a waveform of Discord; flat where it is not known. */
export const waveformOf = (loudness: readonly number[]): string => {
  const step = Math.max(1, loudness.length / POINTS);
  const points = Array.from({ length: Math.min(POINTS, loudness.length) }, (_, index) =>
    Math.round(Math.min(1, Math.max(0, loudness[Math.floor(index * step)] ?? 0)) * LOUDEST),
  );
  return Buffer.from(points.length > 0 ? points : [0]).toString('base64');
};
