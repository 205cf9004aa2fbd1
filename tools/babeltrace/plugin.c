// SPDX-License-Identifier: GPL-2.0-only
/*
 * plugin.c - the component class source.devtrace.file
 *
 * Parameters: inputs, an array with one path; formats, an array of format files; and lttng-names,
 * a Boolean. By the query babeltrace.support-info, babeltrace asks whether a file is a trace
 * stream. So "babeltrace2 FILE" finds this component class.
 */
#include <stdio.h>
#include <stdlib.h>
#include "plugin.h"

/* The weight of a trace stream. source.ctf.fs gives the same weight to a CTF trace. */
#define PLUGIN_WEIGHT	0.75

static void plugin_free(struct plugin *p)
{
	classes_free(&p->classes);
	fmt_set_free(&p->fmts);
	free(p->path);
	free(p);
}

static void plugin_finalize(bt_self_component_source *self)
{
	plugin_free(bt_self_component_get_data(bt_self_component_source_as_self_component(self)));
}

static const char *plugin_input(const bt_value *params)
{
	const bt_value *inputs = bt_value_map_borrow_entry_value_const(params, "inputs");
	const bt_value *path;

	if (!inputs || !bt_value_is_array(inputs) || bt_value_array_get_length(inputs) != 1)
		return NULL;
	path = bt_value_array_borrow_element_by_index_const(inputs, 0);
	return bt_value_is_string(path) ? bt_value_string_get(path) : NULL;
}

/* Add the format files in the order of traceinfo. Return NULL, or what is wrong. */
static const char *plugin_formats(struct plugin *p, const bt_value *params)
{
	const bt_value *files = bt_value_map_borrow_entry_value_const(params, "formats");
	const char *env = getenv("DEVTRACE_FMT_PATH");
	uint64_t i;

	if (files && !bt_value_is_array(files))
		return "the parameter 'formats' must be an array of format files";
	for (i = 0; files && i < bt_value_array_get_length(files); i++) {
		const bt_value *file = bt_value_array_borrow_element_by_index_const(files, i);

		if (!bt_value_is_string(file))
			return "the parameter 'formats' must be an array of format files";
		if (fmt_add_file(&p->fmts, bt_value_string_get(file)))
			return "a file of the parameter 'formats' cannot be read";
	}
	fmt_next_place(&p->fmts);
	p->fmts.given = 1;
	if (env)
		fmt_add_path(&p->fmts, env);
	fmt_add_default(&p->fmts);
	return NULL;
}

/* Read the parameters and the head. Return NULL, or a text that says what is wrong. */
static const char *plugin_prepare(struct plugin *p, const bt_value *params)
{
	const bt_value *lttng = bt_value_map_borrow_entry_value_const(params, "lttng-names");
	const char *path = plugin_input(params), *problem = NULL;

	if (!path)
		return "the parameter 'inputs' must be an array with the path of one file";
	if (lttng && !bt_value_is_bool(lttng))
		return "the parameter 'lttng-names' must be yes or no";
	p->lttng_names = lttng && bt_value_bool_get(lttng);
	p->path = strdup(path);
	if (!p->path)
		return "no memory";
	if (view_head_read(&p->head, path, &problem))
		return problem;
	if (!p->head.is_stream)
		return "not a trace stream";
	view_head_error(&p->head, path);
	return plugin_formats(p, params);
}

/* Return "PATH: " for a message, if the path is known. */
static const char *plugin_where(struct plugin *p)
{
	if (!p->path)
		return "";
	snprintf(p->where, sizeof(p->where), "%s: ", p->path);
	return p->where;
}

static bt_component_class_initialize_method_status
plugin_init(bt_self_component_source *self, bt_self_component_source_configuration *config,
	    const bt_value *params, void *data)
{
	bt_self_component *component = bt_self_component_source_as_self_component(self);
	struct plugin *p = calloc(1, sizeof(*p));
	const char *problem;

	(void)config;
	(void)data;
	if (!p)
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	fmt_set_init(&p->fmts, NULL, NULL);
	problem = plugin_prepare(p, params);
	if (problem) {
		BT_CURRENT_THREAD_ERROR_APPEND_CAUSE_FROM_COMPONENT(component, "%s%s",
								    plugin_where(p), problem);
		plugin_free(p);
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	if (classes_init(&p->classes, component, &p->head) ||
	    bt_self_component_source_add_output_port(self, "out", NULL, NULL)) {
		plugin_free(p);
		return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_MEMORY_ERROR;
	}
	bt_self_component_set_data(component, p);
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_component_class_query_method_status
plugin_query(bt_self_component_class_source *self, bt_private_query_executor *executor,
	     const char *object, const bt_value *params, void *data, const bt_value **result)
{
	const bt_value *input;
	struct view_head head;
	const char *problem;
	double weight = 0;

	(void)self;
	(void)executor;
	(void)data;
	if (strcmp(object, "babeltrace.support-info"))
		return BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_UNKNOWN_OBJECT;
	/* A file has the type "file"; a device has the type "string". */
	input = bt_value_map_borrow_entry_value_const(params, "input");
	if (input && bt_value_is_string(input) &&
	    !view_head_read(&head, bt_value_string_get(input), &problem) && head.is_stream)
		weight = PLUGIN_WEIGHT;
	*result = bt_value_real_create_init(weight);
	return *result ? BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_OK :
			 BT_COMPONENT_CLASS_QUERY_METHOD_STATUS_MEMORY_ERROR;
}

/*
 * The messages have the same meaning in the versions 0 and 1 of the message interchange protocol.
 * The sink of babeltrace 2.1 that writes CTF 2 requires version 1.
 */
static bt_component_class_get_supported_mip_versions_method_status
plugin_mip_versions(bt_self_component_class_source *self, const bt_value *params, void *data,
		    bt_logging_level level, bt_integer_range_set_unsigned *versions)
{
	(void)self;
	(void)params;
	(void)data;
	(void)level;
	return bt_integer_range_set_unsigned_add_range(versions, 0, 1) ?
		BT_COMPONENT_CLASS_GET_SUPPORTED_MIP_VERSIONS_METHOD_STATUS_MEMORY_ERROR :
		BT_COMPONENT_CLASS_GET_SUPPORTED_MIP_VERSIONS_METHOD_STATUS_OK;
}

#define PLUGIN_HELP \
	"Parameters:\n" \
	"  inputs       an array with the path of one file or trace device\n" \
	"  formats      an array of format files, which precede those found below\n" \
	"  lttng-names  yes: name the kernel's events and their fields as LTTng does\n" \
	"Format files are read from DEVTRACE_FMT_PATH and the default places: see fmt(5)."

BT_PLUGIN_MODULE();
BT_PLUGIN(devtrace);
BT_PLUGIN_DESCRIPTION("Trace streams of devtrace");
BT_PLUGIN_LICENSE("GPL-2.0-only");
BT_PLUGIN_SOURCE_COMPONENT_CLASS(file, plugin_iterator_next);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_DESCRIPTION(file, "Read a trace stream of devtrace");
BT_PLUGIN_SOURCE_COMPONENT_CLASS_HELP(file, PLUGIN_HELP);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_INITIALIZE_METHOD(file, plugin_init);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_FINALIZE_METHOD(file, plugin_finalize);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_QUERY_METHOD(file, plugin_query);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD(file,
									  plugin_iterator_init);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_MESSAGE_ITERATOR_CLASS_FINALIZE_METHOD(file, plugin_iterator_free);
BT_PLUGIN_SOURCE_COMPONENT_CLASS_GET_SUPPORTED_MIP_VERSIONS_METHOD(file, plugin_mip_versions);
