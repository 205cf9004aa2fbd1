// SPDX-License-Identifier: GPL-2.0-only
//
// parquet_rows.mjs - print the rows of a Parquet file as JSON, a line each, by a reader that is not
// ours. Integers are strings, because JavaScript's numbers have 53 bits.
//
//	node parquet_rows.mjs duckdb|hyparquet MODULES FILE
//	node parquet_rows.mjs sql MODULES STATEMENT	DuckDB; a value is printed without quotes
//
// MODULES is the folder in which npm has installed the readers. hyparquet gives times in ns, and
// DuckDB in us.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { join, resolve } from 'node:path';

const [what, modules, arg] = process.argv.slice(2);
const folder = resolve(modules, 'node_modules');
const plain = (k, v) => typeof v === 'bigint' ? String(v) : v;

async function duckdb(sql) {
	const require = createRequire(join(folder, 'x.js'));
	const { DuckDBInstance } = require('@duckdb/node-api');
	const c = await (await DuckDBInstance.create(':memory:')).connect();
	return c.runAndReadAll(sql);
}

if (what === 'sql') {
	for (const row of (await duckdb(arg)).getRowsJson())
		console.log(row.join(' '));
} else if (what === 'duckdb') {
	const sql = `select * replace (epoch_us(time)::VARCHAR as time) from '${arg}' order by number`;
	for (const row of (await duckdb(sql)).getRowObjectsJson())
		console.log(JSON.stringify(row));
} else {
	const load = (name) => import(pathToFileURL(join(folder, name)));
	const { asyncBufferFromFile, parquetReadObjects } = await load('hyparquet/src/node.js');
	const { compressors } = await load('hyparquet-compressors/src/index.js');
	const { DEFAULT_PARSERS } = await load('hyparquet/src/convert.js');
	const parsers = { ...DEFAULT_PARSERS, timestampFromNanoseconds: (v) => v };
	const file = await asyncBufferFromFile(arg);
	for (const row of await parquetReadObjects({ file, compressors, parsers }))
		console.log(JSON.stringify(row, plain));
}
