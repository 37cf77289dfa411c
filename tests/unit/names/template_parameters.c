/* Names of NVIDIA's demangler: what T1, T2, ... stand for. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/template_parameters.h"

static void becomes(const char *name, const char *expected)
{
    char *text = with_template_arguments(name);
    cr_expect_str_eq(text, expected, "%s", name);
    free(text);
}

Test(template_parameters, are_the_arguments_in_front)
{
    becomes("scale<float,4>(T1*,int,T1)", "scale<float,4>(float*,int,float)");
    becomes("ns::scale<ns::pair<int,char>,4>(T1)", "ns::scale<ns::pair<int,char>,4>(ns::pair<int,char>)");
    becomes("f<int(int,char),long>(T2,T1*)", "f<int(int,char),long>(long,int(int,char)*)");
    becomes("f<float>(g<T1>,void(*)(T1))", "f<float>(g<float>,void(*)(float))");
    becomes("f<int,char,long>(T1,T2...)", "f<int,char,long>(int,char,long)");
    becomes("f<int>(T1,T2...)", "f<int>(int)");
}

Test(template_parameters, without_an_argument_they_stay)
{
    becomes("f(T1)", "f(T1)");
    becomes("f<int>(T2,T0,T1000,T1x,aT1,a::T1)", "f<int>(T2,T0,T1000,T1x,aT1,a::T1)");
    becomes("f<>(T1,T1...)", "f<>(T1)");
    becomes("T1", "T1");
    becomes("", "");
}

Test(template_parameters, of_the_list_in_front_of_the_parentheses)
{
    becomes("f<g<int>(T1),char>(T1,T2)", "f<g<int>(int),char>(g<int>(int),char)");
    becomes("f<int>::g<char>(T1)", "f<int>::g<char>(char)");
    becomes("f<int>::g(T1)", "f<int>::g(T1)");
}

/* The arrow is no bracket. */
Test(template_parameters, arrows)
{
    becomes("f<a,b>(decltype(x->y),T2)", "f<a,b>(decltype(x->y),b)");
    becomes("f<decltype(x->y),b>(T1,T2)", "f<decltype(x->y),b>(decltype(x->y),b)");
    becomes("f<&a->b,c>(T2)", "f<&a->b,c>(c)");
}

Test(template_parameters, brackets_that_do_not_fit)
{
    becomes("f>>)](T1)", "f>>)](T1)");
    becomes("f<int(T1", "f<int(T1");
    char deep[200];
    memset(deep, '<', sizeof deep);
    deep[sizeof deep - 1] = 0;
    cr_expect_null(with_template_arguments(deep));
    char *many = malloc(70000);
    memset(many, 'x', 70000);
    many[69999] = 0;
    cr_expect_null(with_template_arguments(many));
    free(many);
}
