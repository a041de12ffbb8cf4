import { z } from 'zod';
import type { Api } from './api.ts';
import { refusedAs } from './errors.ts';
import { rawFile, type RawFile } from './inbound/raw-message.ts';
import type { Installations } from './install/installations.ts';
import { AppError } from '../../src/errors.ts';
import {
  demandFileHost,
  fetchFile,
  readFile,
  type FileHosts,
  knownHosts,
} from '../../src/http/attached-file.ts';
import type { Attachment, ByteSource } from '../../src/model/message.ts';
import type { Space } from '../../src/model/place.ts';
import { shownName } from '../../src/text/quoted-words.ts';

/** Hosts of Slack's private files ("Working with files"). */
const HOSTS: ReadonlySet<string> = new Set(['files.slack.com', 'slack-files.com']);
const GONE: ReadonlySet<number> = new Set([404, 410]);

interface RemoteFile {
  readonly url: string;
  readonly sizeBytes: number;
  readonly mediaType: string;
  /** Resolves with the token of the workspace whose file it is. */
  readonly token: () => Promise<string | undefined>;
}

/**
 * Creates what opens files of Slack's hosts only; the token goes nowhere else, and no redirect is followed.
 *
 * @param apiUrl server to use instead of Slack, which then also stores the files
 */
const createOpenFile = (apiUrl: string | undefined): ((file: RemoteFile) => ByteSource) => {
  const at: FileHosts = { platform: 'Slack', ...knownHosts(HOSTS, apiUrl) };

  const fetchPrivate = async ({ url, token }: RemoteFile, signal: AbortSignal | undefined) => {
    demandFileHost(url, at);
    const known = await token();
    if (known === undefined)
      throw new AppError('forbidden', 'the app is not installed where the file is');
    return fetchFile(url, at, signal, { authorization: `Bearer ${known}` });
  };

  return (file) => ({
    sizeBytes: file.sizeBytes,
    async *open(signal) {
      const response = await fetchPrivate(file, signal);
      const isPage = String(response.headers['content-type'] ?? '').startsWith('text/html');
      // Without the scope files:read Slack answers with its login page and status 200.
      if (response.statusCode === 200 && isPage && !file.mediaType.startsWith('text/html')) {
        await response.body.dump();
        const advice = 'Slack gives no files to the app: add the scope files:read';
        throw new AppError('forbidden', advice);
      }
      yield* readFile(response, file.sizeBytes, GONE, at, signal);
    },
  });
};

const fileInfo = z.object({ file: rawFile });

export type Files = ReturnType<typeof createFiles>;

/**
 * Creates what reads people's files.
 *
 * @param apiUrl server to use instead of Slack, which then also stores the files
 */
export const createFiles = (
  api: Api,
  { tokenOf }: Pick<Installations, 'tokenOf'>,
  apiUrl: string | undefined,
) => {
  const openFile = createOpenFile(apiUrl);

  /** Reads Slack's description of a file; undefined when it is gone. */
  const info = async (space: Space, id: string): Promise<RawFile | undefined> => {
    const answer = await refusedAs(
      api.call(space, 'files.info', { file: id }),
      'file_not_found',
      'file_deleted',
    );
    return answer && fileInfo.parse(answer).file;
  };

  /** A file that can be read; undefined for one that is gone. */
  const open = (space: Space, raw: RawFile): Attachment | undefined => {
    const url = raw.url_private_download ?? raw.url_private;
    if (raw.mode === 'tombstone' || url === undefined) return undefined;
    const mediaType = raw.mimetype ?? 'application/octet-stream';
    const sizeBytes = raw.size ?? 0;
    const source = openFile({ url, sizeBytes, mediaType, token: async () => tokenOf(space) });
    return { ...source, name: shownName(raw.name, raw.title, raw.id), mediaType };
  };

  return {
    open,
    /** The whole description of a file: of some, events have the id alone. */
    whole: async (space: Space, raw: RawFile): Promise<RawFile | undefined> =>
      raw.file_access === 'check_file_info' ? info(space, raw.id) : raw,
    /** The file with an id; undefined when it is gone. */
    openById: async (space: Space, id: string): Promise<Attachment | undefined> => {
      const raw = await info(space, id);
      return raw && open(space, raw);
    },
  };
};
