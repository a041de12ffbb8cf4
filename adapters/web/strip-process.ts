/** Strips the types of each module that it is sent. */
import { stripTypeScriptTypes } from 'node:module';
import { serveParent } from '../../src/process/serve-parent.ts';

serveParent(async (source: string) => stripTypeScriptTypes(source));
