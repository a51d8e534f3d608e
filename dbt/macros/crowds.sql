{# Generic tests of dbt: each selects the classes that break a requirement, so a test passes where there are none. NULL is a value
   of its own, as it is to `incrowd verify`. #}

{# A column as SQL has it: as it is written, in quotes where `quote` asks for them or the name needs them. The column that a test
   stands at comes with its quotes. #}
{% macro incrowd_name(column, quote=false) -%}
  {%- set is_plain = modules.re.match("^[A-Za-z_][A-Za-z0-9_]*$", column) -%}
  {%- set is_quoted = modules.re.match("^[\"`\\[]", column) -%}
  {%- if is_quoted or (is_plain and not quote) -%}{{ column }}{%- else -%}{{ adapter.quote(column) }}{%- endif -%}
{%- endmacro %}

{# Columns as a list of SQL, however they are given. #}
{% macro incrowd_columns(columns, quote=false) -%}
  {%- set columns = [columns] if columns is string else columns -%}
  {%- if columns | length == 0 -%}
    {{ exceptions.raise_compiler_error("incrowd: name the quasi-identifiers, such as quasi: [age, sex]") }}
  {%- endif -%}
  {%- for column in columns %}{{ incrowd.incrowd_name(column, quote) }}{% if not loop.last %}, {% endif %}{% endfor -%}
{%- endmacro %}

{# What is counted: rows, or whom a column tells apart. Whoever has no value there is counted as one. #}
{% macro incrowd_people(unit, quote=false) -%}
  {%- if unit is none -%}
    count(*)
  {%- else -%}
    {%- set name = incrowd.incrowd_name(unit, quote) -%}
    count(distinct {{ name }}) + max(case when {{ name }} is null then 1 else 0 end)
  {%- endif -%}
{%- endmacro %}

{% macro incrowd_at_least(name, value, least) -%}
  {%- if value is not number or value < least -%}
    {{ exceptions.raise_compiler_error("incrowd: " ~ name ~ " must be a number of at least " ~ least) }}
  {%- endif -%}
{%- endmacro %}

{# Every class has at least k rows, or people where `unit` tells them apart. #}
{% test k_anonymity(model, quasi, k, unit=none, quote=false) %}
{{- incrowd.incrowd_at_least("k", k, 1) }}
select {{ incrowd.incrowd_columns(quasi, quote) }}, {{ incrowd.incrowd_people(unit, quote) }} as crowd
from {{ model }}
group by {{ incrowd.incrowd_columns(quasi, quote) }}
having {{ incrowd.incrowd_people(unit, quote) }} < {{ k }}
{% endtest %}

{# Every class has at least l different values of the column. #}
{% test l_diversity(model, column_name, quasi, l, quote=false) %}
{{- incrowd.incrowd_at_least("l", l, 1) }}
select {{ incrowd.incrowd_columns(quasi, quote) }},
  {{ incrowd.incrowd_people(column_name) }} as different_values
from {{ model }}
group by {{ incrowd.incrowd_columns(quasi, quote) }}
having {{ incrowd.incrowd_people(column_name) }} < {{ l }}
{% endtest %}

{# No value of the column has more than the share alpha of a class: whoever finds the class must not be nearly sure. #}
{% test most_frequent_share(model, column_name, quasi, alpha, quote=false) %}
{{- incrowd.incrowd_at_least("alpha", alpha, 0) }}
select counted.*
from (
  select {{ incrowd.incrowd_columns(quasi, quote) }}, {{ incrowd.incrowd_name(column_name) }},
    count(*) as of_value,
    sum(count(*)) over (partition by {{ incrowd.incrowd_columns(quasi, quote) }}) as of_class
  from {{ model }}
  group by {{ incrowd.incrowd_columns(quasi, quote) }}, {{ incrowd.incrowd_name(column_name) }}
) as counted
where of_value > {{ alpha }} * of_class
{% endtest %}

{# Classes keep at least k rows, or people, where others know this column, too: for columns that are released as they are and
   follow from the quasi-identifiers. #}
{% test crowd_of_implied(model, column_name, quasi, k, unit=none, quote=false) %}
{{- incrowd.incrowd_at_least("k", k, 1) }}
{%- set known = incrowd.incrowd_columns(quasi, quote) ~ ", " ~ incrowd.incrowd_name(column_name) %}
select {{ known }}, {{ incrowd.incrowd_people(unit, quote) }} as crowd
from {{ model }}
group by {{ known }}
having {{ incrowd.incrowd_people(unit, quote) }} < {{ k }}
{% endtest %}
